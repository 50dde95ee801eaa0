import { chatHead } from '../support/gateway/chat-request.ts'
import { openSocket } from '../support/gateway/send-raw.ts'

export interface RawReply {
  readonly status: number
  readonly requestId: string
  readonly text: string
}

/** Sends one request on its own connection: Bun's fetch allows at most 256 concurrent requests. */
export async function openCall(
  url: string,
  key: string,
  body: string,
): Promise<{ send: () => Promise<RawReply> }> {
  const socket = await openSocket(url)
  const head = chatHead(key, ['connection: close', `content-length: ${Buffer.byteLength(body)}`])
  const over = Promise.withResolvers<RawReply>()
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
  })
  socket.on('close', () => {
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
    const requestId = /\r\nx-gateway-request-id: (\S+)/i.exec(text)?.[1] ?? ''
    over.resolve({ status, requestId, text })
  })
  return {
    send: () => {
      socket.write(head + body)
      return over.promise
    },
  }
}
