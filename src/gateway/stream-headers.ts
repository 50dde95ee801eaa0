import type { Exchange } from './exchange.ts'
import type { Passage } from './passage.ts'
import type { ForwardParts } from './settling.ts'

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

const comment = ': keep-alive\n\n'

/** The headers of a stream. */
export function headersFor(
  { facts }: Exchange,
  { warnings }: Passage,
  parts: ForwardParts,
): Record<string, string> {
  const headers: Record<string, string> = { ...sseHeaders }
  if (facts.framing === 'json-list') headers['content-type'] = 'application/json'
  if (warnings.length > 0) headers[parts.warningsHeader] = warnings.join(', ')
  return headers
}

/** Inside a JSON list only white space may be added. */
export function keepAliveOf({ facts, protocol }: Exchange): string {
  return facts.framing === 'json-list' ? '\n' : (protocol.keepAlive ?? comment)
}
