/** The reasons of credits that no person has given one. They are stored; the console has a text for each. */
export const creditReasons = {
  initial: 'credit to start with',
  commandLine: 'added on the command line',
  configFile: 'granted by the config file',
} as const
