import type { JsonObject } from '../../../src/wire/json.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { chatRequest } from '../../support/gateway/chat-request.ts'
import { openSocket } from '../../support/gateway/send-raw.ts'
import { shopKey } from '../../support/process/shop.ts'

/** A streamed answer over its own socket: the test's HTTP client limits the number of connections. */
export interface RawStream {
  text(): string
  /** `end` when the gateway closed the connection cleanly, `reset` when not; undefined while the connection is open. */
  ending(): 'end' | 'reset' | undefined
  /** Resolves when the answer is complete or the connection is closed. */
  readonly over: Promise<void>
}

const answerEnd = '\r\n0\r\n\r\n'

export async function openRawStream(url: string, fields: JsonObject = {}): Promise<RawStream> {
  const socket = await openSocket(url)
  const over = Promise.withResolvers<void>()
  let text = ''
  let ending: 'end' | 'reset' | undefined
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    if (!text.endsWith(answerEnd)) return
    over.resolve()
    socket.destroy()
  })
  socket.on('error', () => {
    ending = 'reset'
  })
  socket.on('close', () => {
    ending ??= 'end'
    over.resolve()
  })
  socket.write(chatRequest(shopKey, chatBody({ stream: true, ...fields })))
  return { text: () => text, ending: () => ending, over: over.promise }
}
