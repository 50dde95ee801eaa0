import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { protocols } from '../../../src/protocols/index.ts'
import { plainClientRequest } from '../../conformance/pipeline/client-request.ts'
import { countingMint, replyContext } from '../../conformance/pipeline/contexts.ts'

/** Whether the client's reply contains the mark of the upstream's reply, streamed and not streamed. */
export function judgeReply(
  upstream: ProtocolName,
  client: ProtocolName,
  reply: unknown,
  mark: string,
): 'carried' | 'dropped' {
  const mint = countingMint()
  const { translation } = protocols[client]
  const events = protocols[upstream].translation.decodeReply(JSON.stringify(reply), {
    issuer: 'vendor/family',
    replies: {},
    mint,
  })
  const plain = plainClientRequest(client, 1)
  const asked = { ...plain, request: { ...plain.request, logprobs: { top: 1 } } }
  const context = () => replyContext(asked, { wantsStreamUsage: true, framing: 'sse' }, mint)
  const encoder = translation.openEncoder(context())
  const streamed = events.map((event) => encoder.push(event)).join('')
  const forms = [translation.encodeReply(events, context()), streamed]
  // Digits of another number are not the mark.
  const pattern = new RegExp(`(?<![\\d])${mark.replaceAll('.', '\\.')}(?![\\d])`)
  const found = forms.filter((form) => pattern.test(form.replaceAll(/"[a-z_]*id":"[^"]*"/gi, '')))
  if (found.length === 1) throw new Error(`${upstream} → ${client}: ${mark} is in one form only`)
  return found.length === forms.length ? 'carried' : 'dropped'
}
