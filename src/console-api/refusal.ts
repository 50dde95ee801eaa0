import type { ConsoleErrorCode } from './contract.ts'

const statusOf: Readonly<Record<ConsoleErrorCode, number>> = {
  invalid_request: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  cross_site: 403,
  not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  link_spent: 410,
  request_too_large: 413,
  too_many_tries: 429,
  internal_error: 500,
}

/** Why the console's back end does not do what it was asked; becomes a JSON body at the edge. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ConsoleErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ConsoleErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.code = code
    this.status = statusOf[code]
    this.headers = headers
  }
}
