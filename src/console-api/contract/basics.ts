/** A cross-site form or image cannot send a header of its own, so every change must carry this one. */
export const csrfHeader = 'x-tollgate-console'
export const csrfValue = '1'

/** A secret is shown only to somebody who has proved within this time who they are. */
export const freshSignInMs = 5 * 60 * 1000

export const consoleErrorCodes = [
  'invalid_request',
  'request_too_large',
  'not_signed_in',
  'wrong_credentials',
  /** The password is right; a code of the authenticator app is needed beside it. */
  'code_needed',
  'wrong_code',
  'link_spent',
  'cross_site',
  'not_allowed',
  /** The sign-in is older than `freshSignInMs`: POST /reauthenticate, then ask again. */
  'reauthenticate',
  'not_found',
  'method_not_allowed',
  /** There is one with this id, name or value already. */
  'conflict',
  /** A field is good by itself and does not fit what is there, such as a name of nothing, or the time. */
  'unfit',
  /** Each field is as its schema says, and together they break a rule that no schema tells. */
  'unprocessable',
  /** Something else still needs what was to be deleted. */
  'in_use',
  'too_many_tries',
  /** This process cannot do it now: an upstream is out of reach, or the gateway is stopping. */
  'unavailable',
  'internal_error',
  /** The admin API: the token is missing, unknown, revoked or expired, or its maker has lost the rights. */
  'invalid_token',
  'address_not_allowed',
  'scope_missing',
  /** The idempotency key came with another request before. */
  'idempotency_key_reused',
  /** `If-Match` or `If-None-Match` does not fit what is there now. */
  'precondition_failed',
] as const
export type ConsoleErrorCode = (typeof consoleErrorCodes)[number]
