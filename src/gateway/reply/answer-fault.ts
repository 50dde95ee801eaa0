import type { Fault } from '../../core/fault.ts'
import { protocols } from '../../protocols/index.ts'
import { protocolOfCall } from '../admit/protocol-of-call.ts'
import type { Call, GatewayResponse } from '../call.ts'

/** A fault as a response of the client's protocol. */
export function answerFault(call: Call, fault: Fault): GatewayResponse {
  const protocol = protocols[protocolOfCall(call.headers, call.path)]
  const { retryAfterSeconds, headers, limitHeaders } = fault.details
  const body = JSON.stringify(protocol.encodeFault(fault, call.requestId))
  return {
    status: fault.status,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...retryAdvice(fault),
      ...headers,
    },
    limitHeaders,
    body: protocol.clientCalls.wantsJsonList?.(call) ? `[${body}]` : body,
  }
}

/**
 * Agents retry errors that may be temporary, and some retry a rejected key, unless the response says not to. A single
 * failure of an upstream may be temporary. No client retries a 403 by itself, even with `Retry-After`.
 */
function retryAdvice({ code, status, details }: Fault): Readonly<Record<string, string>> {
  const waitHelps = details.retryAfterSeconds !== undefined
  const isFinal =
    details.isFinal === true ||
    code === 'upstream_timeout' ||
    (!waitHelps && (code === 'no_upstream_available' || status === 401 || status === 403))
  if (isFinal) return { 'x-should-retry': 'false' }
  return waitHelps && status === 403 ? { 'x-should-retry': 'true' } : {}
}
