import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'
import { addTraceHeaders } from './trace-headers.ts'

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const comment = ': keep-alive\n\n'

export function headersFor(
  exchange: Exchange,
  attempt: Attempt,
  deps: ForwardDeps,
): Record<string, string> {
  const headers: Record<string, string> = { ...sseHeaders }
  if (exchange.facts.framing === 'json-list') headers['content-type'] = 'application/json'
  addTraceHeaders(headers, exchange, attempt, deps)
  return headers
}

/** The keep-alive before the first event. It must not be an event itself. */
export function earlyKeepAliveOf({ facts, protocol }: Exchange): string {
  return facts.framing === 'json-list' ? '\n' : (protocol.earlyKeepAlive ?? comment)
}

/** Inside a JSON list only white space may be added. */
export function keepAliveOf({ facts, protocol }: Exchange): string {
  return facts.framing === 'json-list' ? '\n' : (protocol.keepAlive ?? comment)
}
