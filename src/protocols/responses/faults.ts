import type { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { openaiFaultBody } from '../openai-fault-body.ts'

export const encodeFault = openaiFaultBody

/**
 * The words for which coding agents look in `response.error.code`: they decide whether to wait, to shorten the
 * conversation or to give up. Any other word means nothing to them.
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

/** A failure once the stream has begun, for a stream whose state nobody has kept: both events, numbered from 0. */
export function encodeFaultEvent(fault: Fault, requestId: string): string {
  return encodeFailure(fault, JSON.stringify(failedResponse(fault, requestId, undefined)), 0)
}

/** The response as it was begun, now failed; where nobody knows how, the least that clients read in one. */
export function failedResponse(
  fault: Fault,
  requestId: string,
  begun: JsonObject | undefined,
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
  return { ...unknown, ...begun, status: 'failed', error: failureOf(fault) }
}

/** The error event, nested as it is sent and flat as it is documented, and the response that failed. */
export function encodeFailure(fault: Fault, responseText: string, sequence: number): string {
  const { error } = openaiFaultBody(fault)
  const words = isObject(error) ? error : {}
  const event = {
    type: 'error',
    code: words['code'],
    message: words['message'],
    param: words['param'],
    error,
    sequence_number: sequence,
  }
  const failed = `{"type":"response.failed","response":${responseText},"sequence_number":${sequence + 1}}`
  return `event: error\ndata: ${JSON.stringify(event)}\n\nevent: response.failed\ndata: ${failed}\n\n`
}

/** What a failed response says about itself. */
export function failureOf(fault: Fault): { code: string; message: string } {
  return { code: failureCode(fault), message: fault.message }
}

function failureCode(fault: Fault): string {
  const said = fault.details.upstream?.code
  if (said !== undefined && knownCodes.has(said)) return said
  if (fault.status === 429) return 'rate_limit_exceeded'
  if (fault.status === 503 || fault.status === 529) return 'server_is_overloaded'
  return fault.status >= 400 && fault.status < 500 ? 'invalid_prompt' : 'server_error'
}
