import type { ForwardParts } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'
import { addStoryHeaders } from './story-headers.ts'

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const comment = ': keep-alive\n\n'

/** The headers of a stream. */
export function headersFor(
  exchange: Exchange,
  attempt: Attempt,
  parts: ForwardParts,
): Record<string, string> {
  const headers: Record<string, string> = { ...sseHeaders }
  if (exchange.facts.framing === 'json-list') headers['content-type'] = 'application/json'
  addStoryHeaders(headers, exchange, attempt, parts)
  return headers
}

/** What may stand before the first event of a stream without being one. */
export function breathOf({ facts, protocol }: Exchange): string {
  return facts.framing === 'json-list' ? '\n' : (protocol.breath ?? comment)
}

/** Inside a JSON list only white space may be added. */
export function keepAliveOf({ facts, protocol }: Exchange): string {
  return facts.framing === 'json-list' ? '\n' : (protocol.keepAlive ?? comment)
}
