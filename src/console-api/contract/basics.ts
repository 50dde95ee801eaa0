/** Required for every change: a cross-site form or image cannot send a custom header. */
export const csrfHeader = 'x-tollgate-console'
export const csrfValue = '1'

/** Secrets are shown only this long after a sign-in. */
export const freshSignInMs = 5 * 60 * 1000

export const consoleErrorCodes = [
  'invalid_request',
  'request_too_large',
  'not_signed_in',
  'wrong_credentials',
  /** The password is correct; a code of the authenticator app is also needed. */
  'code_needed',
  'wrong_code',
  'link_spent',
  'cross_site',
  'not_allowed',
  /** The sign-in is older than `freshSignInMs`: call POST /reauthenticate, then repeat the request. */
  'reauthenticate',
  'not_found',
  'method_not_allowed',
  /** The id, name or value is already in use. */
  'conflict',
  /** A field is valid but does not fit the current state, such as the name of a missing resource. */
  'unfit',
  /** Each field matches its schema, but the fields together break a rule that no schema expresses. */
  'unprocessable',
  /** Another resource still uses the one to delete. */
  'in_use',
  'too_many_tries',
  /** Temporarily impossible: an upstream cannot be reached, or the gateway is stopping. */
  'unavailable',
  'internal_error',
  /** Admin API: the token is missing, unknown, revoked or expired, or its creator has lost the permission. */
  'invalid_token',
  'address_not_allowed',
  'scope_missing',
  /** The idempotency key was used for a different request. */
  'idempotency_key_reused',
  /** `If-Match` or `If-None-Match` does not match the current resource. */
  'precondition_failed',
] as const
export type ConsoleErrorCode = (typeof consoleErrorCodes)[number]
