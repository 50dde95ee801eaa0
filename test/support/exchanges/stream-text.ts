import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, parseJson } from '../../../src/wire/json.ts'
import type { StoredEvent } from './exchange.ts'

/** Google ends lines with CRLF, the others with LF. */
const newlines: Readonly<Record<ProtocolName, string>> = {
  'chat-completions': '\n',
  responses: '\n',
  messages: '\n',
  'generate-content': '\r\n',
}

/** The bytes of a stored stream, as text. */
export function streamText(
  protocol: ProtocolName,
  events: readonly StoredEvent[],
  rest: string = '',
): string {
  const end = newlines[protocol].repeat(2)
  return events.map((event) => blockOf(protocol, event) + end).join('') + rest
}

/** The stored form of a stream; `streamText` restores the same bytes. */
export function storeStream(
  protocol: ProtocolName,
  text: string,
): { readonly stream: readonly StoredEvent[]; readonly rest: string } {
  const blocks = text.split(newlines[protocol].repeat(2))
  const rest = blocks.pop() ?? ''
  return { stream: blocks.map((block) => storeBlock(protocol, block)), rest }
}

function blockOf(protocol: ProtocolName, event: StoredEvent): string {
  if (typeof event === 'string') return event
  const data = `data: ${JSON.stringify(event)}`
  const isNamed = protocol === 'messages' || protocol === 'responses'
  return isNamed ? `event: ${String(event['type'])}${newlines[protocol]}${data}` : data
}

function storeBlock(protocol: ProtocolName, block: string): StoredEvent {
  const data = parseJson(/^data: (.*)$/m.exec(block)?.[1] ?? '')
  return isObject(data) && blockOf(protocol, data) === block ? data : block
}
