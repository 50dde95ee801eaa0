import type { Fault } from '../../core/fault.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { openaiFaultBody } from '../openai-fault-body.ts'

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

/** The error event, nested as the vendor sends it and flat as the vendor documents it, and the failed response. */
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
