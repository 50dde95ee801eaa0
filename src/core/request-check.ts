/** The checks of a request, in the order in which they are made. The first that it does not pass refuses it. */
export const requestChecks = [
  'key',
  'account and address',
  'body',
  'model list of the key',
  'groups, catalogue and price',
  'earlier response',
  'features and shared objects',
  'credit and quota',
] as const

export type RequestCheck = (typeof requestChecks)[number]
