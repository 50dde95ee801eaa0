/** The actor of changes made on the command line, in the audit log, in credits and in tokens. */
export const cliActor = 'cli'
