import { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject, parseJson } from '../../wire/json.ts'
import { firstObject, firstText, messageOfStatus, silentErrorMessage } from '../fault-message.ts'
import { openaiFaultBody } from '../openai/fault-body.ts'
import { readWaitInDetails, readWaitInText } from '../reported-wait.ts'

export const encodeFault = openaiFaultBody

/**
 * The codes that coding agents look for in `response.error.code`. They decide whether to wait, to compact the
 * conversation or to give up. Agents ignore any other code.
 */
const knownCodes = new Set([
  'bio_policy',
  'context_length_exceeded',
  'insufficient_quota',
  'invalid_prompt',
  'rate_limit_exceeded',
  'server_error',
  'server_is_overloaded',
  'slow_down',
  'usage_not_included',
])

/** A failure after the stream has begun, for a stream without kept state: both events, numbered from 0. */
export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return encodeFailure(fault, JSON.stringify(failedResponse(fault, requestId, undefined)), 0)
}

/** The response as it began, now failed. If its state is unknown, the minimum that clients read in a response. */
export function failedResponse(
  fault: Fault,
  requestId: string,
  created: JsonObject | undefined,
): JsonObject {
  const unknown = {
    id: `resp_${requestId}`,
    object: 'response',
    created_at: 0,
    incomplete_details: null,
    instructions: null,
    model: '',
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    metadata: {},
    usage: null,
  }
  return { ...unknown, ...created, status: 'failed', error: failureOf(fault) }
}

/** The error event, nested as the vendor sends it and flat as the vendor documents it, and the failed response. */
export function encodeFailure(fault: Fault, responseText: string, sequence: number): string {
  const { error } = openaiFaultBody(fault)
  const body = isObject(error) ? error : {}
  const event = {
    type: 'error',
    code: body['code'],
    message: body['message'],
    param: body['param'],
    error,
    sequence_number: sequence,
  }
  const failed = `{"type":"response.failed","response":${responseText},"sequence_number":${sequence + 1}}`
  return `event: error\ndata: ${JSON.stringify(event)}\n\nevent: response.failed\ndata: ${failed}\n\n`
}

/** The error of a failed response. */
export function failureOf(fault: Fault): { code: string; message: string } {
  return { code: failureCode(fault), message: fault.message }
}

function failureCode(fault: Fault): string {
  const upstreamCode = fault.details.upstream?.code
  if (upstreamCode !== undefined && knownCodes.has(upstreamCode)) return upstreamCode
  if (fault.status === 429) return 'rate_limit_exceeded'
  if (fault.status === 503 || fault.status === 529) return 'server_is_overloaded'
  return fault.status >= 400 && fault.status < 500 ? 'invalid_prompt' : 'server_error'
}

/** An upstream's refusal with its own message: OpenAI's shape, and the shapes that compatible servers use instead. */
export function readFault(status: number, bodyText: string): Fault {
  return faultOf(status, parseJson(bodyText), messageOfStatus(status))
}

/** An error inside a stream or a whole reply. It has no status, so its code determines one. */
export function readStreamFault(value: unknown): Fault {
  return faultOf(statusOf(errorIn(value)), value, silentErrorMessage)
}

function faultOf(status: number, value: unknown, defaultMessage: string): Fault {
  const body = firstObject(value) ?? {}
  const error = errorIn(value)
  const message = firstText(
    error['message'],
    body['error'],
    error['detail'],
    firstObject(error['detail'])?.['msg'],
    body['message'],
  )
  const retryAfterSeconds = readWaitInText(status, message) ?? readWaitInDetails(error['details'])
  return new Fault(
    status >= 400 && status < 500 ? 'upstream_rejected' : 'upstream_error',
    message ?? defaultMessage,
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
  const status = Number(error['code'])
  if (Number.isInteger(status) && status >= 400 && status < 600) return status
  const codes = [error['code'], error['type']].filter((code) => typeof code === 'string')
  if (codes.some((code) => tooMany.has(code))) return 429
  if (codes.some((code) => overloaded.has(code))) return 503
  if (codes.some((code) => invalid.has(code) || code.includes('image'))) return 400
  return 502
}
