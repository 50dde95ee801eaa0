import { type ProblemValues, says, type ValueProblem } from '../fields/problems.ts'

/*
 * What is wrong with a request of the console, by a code. The words here are for programs and the log; the browser
 * has its own for each code, in the reader's language. What stands in braces is filled in.
 */

/** Read on from the name of a field. */
export const fieldWords = {
  objects_wrong: 'must be a list of objects',
  parameter_long: 'must be text of at most {max} characters',
  account_unknown: 'names the account "{id}", which does not exist',
  group_unknown: 'names the group "{id}", which does not exist',
  model_unknown: 'names the model "{id}", which does not exist',
  upstream_unknown: 'names the upstream "{id}", which does not exist',
  group_forbidden: 'names "{id}", which this account may not use',
  built_in: 'of the built-in upstream cannot be changed',
  model_in_path: 'is needed: it stands in the path',
  model_needed: 'is needed: no route leads to this upstream yet',
  price_past: 'must not be in the past',
  price_planned: 'must be after every version that is planned already',
  place_needed: 'is needed, or group and model, but not both',
  routes_stray: 'must all be of the group, model or upstream named',
  routes_twice: 'must name each place once',
  protocol_wrong: 'must be any, or one of {words}',
  base_url_needed: 'is needed: {vendor} has none',
  request_id_wrong: 'is not an id',
  id_start_wrong: 'is not how an id begins',
  status_wrong: 'is neither an HTTP status nor one of the words error and ok',
  nano_wrong: 'is not an amount in nano-US-dollars',
  time_wrong: 'is not a time in milliseconds since 1970',
  step_small: 'is too small: a series has at most {max} steps',
  range_reversed: 'must not be before from',
  range_long: 'must not be more than {max} days before to',
  day_wrong: 'must be a day such as 2026-11-01',
  account_not_owned: 'must be an account that you own',
  beyond_maker: 'must not allow more than the token that makes it',
  value_operator: 'can be given by an operator or with a token only',
  parameter_twice: 'must come once',
  cursor_wrong: 'is not one that a page has told as next',
  idempotency_key_wrong: 'must be 1 to {max} printable characters without spaces',
} as const

/** Whole sentences. */
export const stateWords = {
  body_not_json: 'The body must be JSON, with content-type application/json.',
  body_not_object: 'The body is not a JSON object.',
  target_wrong: 'The address can be read in two ways. Write it as the documentation does.',
  email_taken: 'There is a login with this email already.',
  member_already: 'This person is a member already.',
  members_full: 'An account has at most {max} members. Remove one first.',
  login_not_proven:
    'Nobody has proven that this address belongs to whoever signs in. Vouch for the address first.',
  login_proven: 'The address of this login is proven already.',
  login_suspended: 'This login is suspended.',
  key_taken: 'There is a key "{id}" already, or there was one.',
  value_taken: 'The key "{key}" has this value already; every key needs its own.',
  value_used: 'Another key has this value already; every key needs its own.',
  account_taken: 'There is an account "{id}" already.',
  credential_taken: 'There is a credential "{id}" already.',
  group_taken: 'There is a group "{id}" already.',
  model_taken: 'There is a model "{id}" already.',
  upstream_taken: 'There is an upstream "{id}" already.',
  credit_short:
    'This takes {wanted} back, and {available} is available. {leased} is reserved for requests, and what they do not use comes back.',
  reversal_final: 'This credit is a reversal itself. Grant a new credit instead.',
  credit_ambiguous: 'More than one credit is called "{credit}"; name one of {ids}.',
  account_not_stopped: 'The self-audit has not stopped this account.',
  own_role: 'You cannot demote or suspend yourself. Ask another administrator.',
  own_login: 'You cannot delete yourself. Ask another administrator.',
  last_owner: 'An account keeps at least one owner. Name another one first.',
  model_routed: 'Routes lead from this model. Remove them.',
  model_in_books: 'The books refer to its prices. Without routes it is not called.',
  group_routed: 'Routes lead from this group. Remove them first.',
  group_used: 'The key "{key}" uses this group.',
  database_silent: 'The database does not answer now. Try again in a few seconds.',
  tokens_many: 'There are {max} valid tokens already. Revoke those that are not used.',
  idempotency_full:
    'You have sent {max} idempotency keys within {hours} hours, the most there can be. Try again later.',
  books_busy: 'The books are being checked already. Wait until that has ended, then try again.',
  document_wrong: '{why}',
  state_moving: 'The settings were changed while they were read. Try again.',
  apply_busy: 'Another document is being applied. Try again when that is done.',
  exports_busy: 'Too many exports are running. Wait until one of them has ended, then try again.',
} as const

export type FieldProblem = keyof typeof fieldWords
export type StateProblem = keyof typeof stateWords

/** As `says`, for the problems that only the console has. */
export const saysHere: (problem: ValueProblem | FieldProblem, values?: ProblemValues) => string =
  says as never
