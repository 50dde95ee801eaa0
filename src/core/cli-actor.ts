/** The name under which changes made on the command line stand in the audit table and among credits and tokens. */
export const cliActor = 'cli'
