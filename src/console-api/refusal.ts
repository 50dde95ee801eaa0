import type { ConsoleErrorCode } from './contract.ts'

const statusOf: Readonly<Record<ConsoleErrorCode, number>> = {
  invalid_request: 400,
  not_signed_in: 401,
  wrong_credentials: 401,
  code_needed: 401,
  wrong_code: 401,
  cross_site: 403,
  not_allowed: 403,
  reauthenticate: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  in_use: 409,
  link_spent: 410,
  request_too_large: 413,
  too_many_tries: 429,
  internal_error: 500,
  unavailable: 503,
}

export interface RefusalDetails {
  readonly headers?: Readonly<Record<string, string>>
  /** The member of the body, or the parameter, that is wrong. */
  readonly field?: string
}

/** Why the console's back end does not do what it was asked; becomes a JSON body at the edge. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ConsoleErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly field: string | undefined

  constructor(code: ConsoleErrorCode, message: string, details: RefusalDetails = {}) {
    super(message)
    this.code = code
    this.status = statusOf[code]
    this.headers = details.headers ?? {}
    this.field = details.field
  }
}

/** A field that is not as it must be; `must` reads on from the field's name. */
export function wrongField(field: string, must: string): Refusal {
  return new Refusal('invalid_request', `${field} ${must}.`, { field })
}
