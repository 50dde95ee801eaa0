import type { ProblemValues } from '../fields/problems.ts'
import type { ConsoleErrorCode } from './contract.ts'
import type { Refusal } from './refusal.ts'

const problemContentType = 'application/problem+json'
/** Where the codes are explained; the code follows as a fragment. */
const typeBase = '/docs/errors'

/** A refusal as RFC 9457 has it. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** The request, as a URN: its id is in the log too. */
  readonly instance: string
  readonly code: ConsoleErrorCode
  readonly requestId: string
  readonly errors?: readonly ProblemError[]
}

/** One thing that is wrong with what was sent. */
export interface ProblemError {
  readonly detail: string
  /** What exactly is wrong, by a code. */
  readonly code?: string
  readonly values?: ProblemValues
  /** A JSON pointer into the body, as a fragment. */
  readonly pointer?: string
  /** The parameter of the query. */
  readonly parameter?: string
  readonly header?: string
}

const titles: Readonly<Record<ConsoleErrorCode, string>> = {
  invalid_request: 'Invalid request',
  not_signed_in: 'Not signed in',
  wrong_credentials: 'Wrong credentials',
  code_needed: 'Authentication code needed',
  wrong_code: 'Wrong authentication code',
  cross_site: 'Cross-site request',
  not_allowed: 'Not allowed',
  reauthenticate: 'Recent sign-in needed',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  in_use: 'In use',
  link_spent: 'Link no longer valid',
  request_too_large: 'Request too large',
  too_many_tries: 'Too many attempts',
  internal_error: 'Internal error',
  unavailable: 'Unavailable',
  invalid_token: 'Invalid token',
  address_not_allowed: 'Address not allowed',
  scope_missing: 'Scope missing',
  idempotency_key_reused: 'Idempotency key reused',
  precondition_failed: 'Precondition failed',
}

/** Where the fields of a request are: a name that is not a parameter or header of the call is a member of the body. */
export interface FieldPlaces {
  readonly parameters?: readonly string[]
  readonly headers?: readonly string[]
}

export function problemOf(refusal: Refusal, requestId: string, places: FieldPlaces = {}): Problem {
  const { code, status, message, details } = refusal
  const { field, detail, values } = details
  const error: ProblemError = {
    detail: message,
    ...(detail !== undefined && { code: detail }),
    ...(values && Object.keys(values).length > 0 && { values }),
    ...(field !== undefined && placeOf(field, places)),
  }
  return {
    type: `${typeBase}#${code}`,
    title: titles[code],
    status,
    detail: message,
    instance: `urn:uuid:${requestId}`,
    code,
    requestId,
    ...((field !== undefined || detail !== undefined) && { errors: [error] }),
  }
}

function placeOf(
  field: string,
  { parameters, headers }: FieldPlaces,
): Pick<ProblemError, 'pointer' | 'parameter' | 'header'> {
  if (headers?.includes(field)) return { header: field }
  if (parameters?.includes(field)) return { parameter: field }
  return { pointer: pointerOf(field) }
}

/** `prices[0].input` is `#/prices/0/input`. */
export function pointerOf(field: string): string {
  const names = field.replace(/\[(\d+)\]/g, '.$1').split('.')
  const escaped = names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1'))
  return `#${escaped.map((name) => `/${encodeURIComponent(name)}`).join('')}`
}

/** The whole answer. Headers of the refusal go along, and a refused token is told how to present one. */
export function sendProblem(refusal: Refusal, requestId: string, places?: FieldPlaces): Response {
  const headers = new Headers({
    'content-type': problemContentType,
    'cache-control': 'no-store',
    ...(refusal.status === 401 && { 'www-authenticate': 'Bearer realm="admin"' }),
    ...refusal.details.headers,
  })
  const body = JSON.stringify(problemOf(refusal, requestId, places))
  return new Response(body, { status: refusal.status, headers })
}
