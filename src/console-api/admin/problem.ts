import { z } from 'zod'
import { type ConsoleErrorCode, consoleErrorCodes } from '../contract.ts'
import type { ApiRefusal } from '../refusal.ts'
import type { OperationRoute } from '../routes/route.ts'
import { settingsReaderOf } from './tagged-settings.ts'

const problemContentType = 'application/problem+json'
/** Base of the problem type; the code follows as a fragment. */
const typeBase = '/docs/errors'

/** One problem of the request. */
const problemError = z.strictObject({
  detail: z.string(),
  /** Code of the exact problem. */
  code: z.string().exactOptional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  /** A JSON pointer into the body, as a fragment. */
  pointer: z.string().exactOptional(),
  /** The query parameter. */
  parameter: z.string().exactOptional(),
  header: z.string().exactOptional(),
})
type ProblemError = z.infer<typeof problemError>

/** A problem document (RFC 9457). */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** The request id as a URN. The log has the same id. */
  instance: z.string(),
  code: z.enum(consoleErrorCodes),
  requestId: z.string(),
  errors: z.array(problemError).readonly().exactOptional(),
})
export type ProblemDetails = z.infer<typeof problemSchema>

export interface RefusalStatus {
  readonly status: number
  /** Name in the OpenAPI document. */
  readonly name: string
  readonly why: string
  readonly mayHappen: (route: OperationRoute) => boolean
}

const always = () => true
const isChange = ({ method }: OperationRoute) => method !== 'GET'

/** Statuses of refusals with their reasons. */
export const allRefusals: readonly RefusalStatus[] = [
  {
    status: 400,
    name: 'Invalid',
    why: 'The request does not match this document.',
    mayHappen: always,
  },
  {
    status: 401,
    name: 'Unauthorized',
    why: 'The token is missing, unknown, revoked or expired.',
    mayHappen: always,
  },
  {
    status: 403,
    name: 'Forbidden',
    why: 'The token does not permit this operation.',
    mayHappen: always,
  },
  {
    status: 404,
    name: 'NotFound',
    why: 'The resource does not exist, or the token has no access to it.',
    mayHappen: ({ path, who, body }) =>
      path.includes('{id}') || who === 'member' || body !== undefined,
  },
  {
    status: 409,
    name: 'Conflict',
    why: 'The change conflicts with the current state: a resource that the request names is missing, exists already, or is in use.',
    mayHappen: isChange,
  },
  {
    status: 412,
    name: 'PreconditionFailed',
    why: 'The resource does not match If-Match or If-None-Match.',
    mayHappen: (route) => isChange(route) && settingsReaderOf(route) !== undefined,
  },
  {
    status: 413,
    name: 'TooLarge',
    why: 'The body is too large.',
    mayHappen: isChange,
  },
  {
    status: 422,
    name: 'Unprocessable',
    why: 'The request matches this document but breaks a rule that the schema cannot express, or the idempotency key belongs to a different request.',
    mayHappen: ({ body, query, method }) =>
      body !== undefined || query !== undefined || method !== 'GET',
  },
  {
    status: 429,
    name: 'TooManyRequests',
    why: 'The caller has sent too many of these. Retry-After says when the next one is accepted.',
    mayHappen: ({ isThrottled }) => isThrottled === true,
  },
  {
    status: 500,
    name: 'InternalError',
    why: 'The gateway failed. Its log has the reason.',
    mayHappen: always,
  },
  {
    status: 503,
    name: 'Unavailable',
    why: 'The gateway is temporarily unable to do this. Try again.',
    mayHappen: always,
  },
]

export function refusalStatuses(route: OperationRoute): readonly RefusalStatus[] {
  return allRefusals.filter(({ mayHappen }) => mayHappen(route))
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
  unfit: 'Conflicts with the current state',
  unprocessable: 'Unprocessable',
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

/** Where the fields of a request are. A name that is not a parameter or header is a member of the body. */
export interface FieldLocations {
  readonly parameters?: readonly string[]
  readonly headers?: readonly string[]
}

export function problemOf(
  refusal: ApiRefusal,
  requestId: string,
  locations: FieldLocations = {},
): ProblemDetails {
  const { code, status, message, details } = refusal
  const { field, detail, values } = details
  const error: ProblemError = {
    detail: message,
    ...(detail !== undefined && { code: detail }),
    ...(values && Object.keys(values).length > 0 && { values }),
    ...(field !== undefined && locationOf(field, locations, details)),
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

function locationOf(
  field: string,
  { parameters, headers }: FieldLocations,
  { detail, values = {} }: ApiRefusal['details'],
): Pick<ProblemError, 'pointer' | 'parameter' | 'header'> {
  if (detail === 'member_unknown') return placeOfUnknown(field, String(values['name']))
  if (headers?.includes(field)) return { header: field }
  if (parameters?.includes(field)) return { parameter: field }
  return { pointer: pointerOf(field) }
}

/** An unknown parameter, or an unknown member of the body or of an object in it. */
function placeOfUnknown(field: string, name: string): Pick<ProblemError, 'pointer' | 'parameter'> {
  if (field === 'query') return { parameter: name }
  return { pointer: `${field === 'body' ? '#' : pointerOf(field)}/${escapeName(name)}` }
}

/** `prices[0].input` is `#/prices/0/input`. */
export function pointerOf(field: string): string {
  const names = field.replace(/\[(\d+)\]/g, '.$1').split('.')
  return `#${names.map((name) => `/${escapeName(name)}`).join('')}`
}

/** A client may choose the name of a member, also one that is not Unicode text. */
function escapeName(name: string): string {
  return encodeURIComponent(name.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'))
}

/** The response, with the headers of the refusal. A refused token gets a `www-authenticate` header. */
export function sendProblem(
  refusal: ApiRefusal,
  requestId: string,
  locations?: FieldLocations,
): Response {
  const headers = new Headers({
    'content-type': problemContentType,
    'cache-control': 'no-store',
    ...(refusal.status === 401 && { 'www-authenticate': 'Bearer realm="admin"' }),
    ...refusal.details.headers,
  })
  const body = JSON.stringify(problemOf(refusal, requestId, locations))
  return new Response(body, { status: refusal.status, headers })
}
