import type { Fault } from '../core/fault.ts'
import { protocols } from '../protocols/index.ts'
import type { Answer, Call } from './call.ts'
import { wantsJsonList } from './endpoint.ts'
import { protocolOfCall } from './list-models.ts'

/** A refusal in the shape of the caller's protocol. */
export function answerFault(call: Call, fault: Fault): Answer {
  const protocol = protocols[protocolOfCall(call.headers, call.path)]
  const { retryAfterSeconds, headers } = fault.details
  const body = JSON.stringify(protocol.encodeFault(fault, call.requestId))
  return {
    status: fault.status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(isFinal(fault) ? { 'x-should-retry': 'false' } : {}),
      ...headers,
    },
    body: wantsJsonList(call) ? `[${body}]` : body,
  }
}

/** The gateway has tried every upstream it may: clients that repeat by themselves would only multiply that. */
function isFinal(fault: Fault): boolean {
  return ['upstream_error', 'upstream_timeout', 'no_upstream_available'].includes(fault.code)
}
