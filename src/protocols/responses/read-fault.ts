import { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { firstObject, firstText, wordlessAnswer } from '../fault-words.ts'
import { readRetryHint } from './read-retry-hint.ts'

/** An upstream's refusal with its own message: OpenAI's shape, and the shapes that compatible servers use instead. */
export function readFault(status: number, bodyText: string): Fault {
  return faultOf(status, parseJson(bodyText), wordlessAnswer(status))
}

/** An error inside a stream or a whole reply. It has no status, so its code determines one. */
export function readFaultEvent(value: unknown): Fault {
  return faultOf(statusOf(errorIn(value)), value, 'The upstream failed while it was answering.')
}

function faultOf(status: number, value: unknown, wordless: string): Fault {
  const body = firstObject(value) ?? {}
  const error = errorIn(value)
  const message = firstText(
    error['message'],
    body['error'],
    error['detail'],
    firstObject(error['detail'])?.['msg'],
    body['message'],
  )
  const retryAfterSeconds = status === 429 || status === 503 ? readRetryHint(message) : undefined
  return new Fault(
    status >= 400 && status < 500 ? 'upstream_rejected' : 'upstream_error',
    message ?? wordless,
    {
      status,
      isSilent: message === undefined,
      upstream: {
        status,
        type: firstText(error['type'] === 'error' ? undefined : error['type']),
        code: firstText(error['code'], body['code']),
        param: firstText(error['param']),
      },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  )
}

/** The error object: nested, flat, or inside the failed response. */
function errorIn(value: unknown): JsonObject {
  const body = firstObject(value) ?? {}
  const response = isObject(body['response']) ? body['response'] : body
  return isObject(response['error']) ? response['error'] : response === body ? body : {}
}

const tooMany = new Set([
  'insufficient_quota',
  'rate_limit_error',
  'rate_limit_exceeded',
  'requests',
  'slow_down',
  'tokens',
])
const overloaded = new Set(['overloaded_error', 'server_is_overloaded', 'service_unavailable'])
const invalid = new Set([
  'bio_policy',
  'context_length_exceeded',
  'invalid_prompt',
  'invalid_request_error',
])

function statusOf(error: JsonObject): number {
  const code = Number(error['code'])
  if (Number.isInteger(code) && code >= 400 && code < 600) return code
  const words = [error['code'], error['type']].filter((word) => typeof word === 'string')
  if (words.some((word) => tooMany.has(word))) return 429
  if (words.some((word) => overloaded.has(word))) return 503
  if (words.some((word) => invalid.has(word) || word.includes('image'))) return 400
  return 502
}
