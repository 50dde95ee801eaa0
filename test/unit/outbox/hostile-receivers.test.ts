import { afterEach, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { DeliveryFailure } from '../../../src/outbox/message.ts'
import { postWebhook } from '../../../src/outbox/webhook.ts'
import { patience } from '../../support/patience.ts'

const closings: (() => void)[] = []
afterEach(() => {
  for (const close of closings.splice(0)) close()
})

/** A receiver on a real socket. `ended` resolves when the gateway has closed the connection. */
async function openReceiver(answer: (socket: Socket) => void) {
  const ended = Promise.withResolvers<void>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.on('close', () => ended.resolve())
    socket.once('data', () => answer(socket))
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  closings.push(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return { url: `http://127.0.0.1:${port}/hook`, ended: ended.promise, count: () => connections }
}

const post = (url: string, attemptMs = patience(20_000)) =>
  postWebhook(
    { send: createSendHttp(), brand: 'gateway', allowsPrivate: true, nowMs: Date.now, attemptMs },
    { url, secret: 'x'.repeat(20), body: '{}', deliveryId: '1' },
  ).then(
    () => 'delivered',
    (error: unknown) => {
      if (!(error instanceof DeliveryFailure)) throw error
      return `${error.isPermanent ? 'given up' : 'retried'}: ${error.message.replace(/:\d+/, '')}`
    },
  )

/** Writes as long as the gateway reads. */
function flood(socket: Socket, piece: string): void {
  const go = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', go)
  go()
}

const head = 'HTTP/1.1 200 OK\r\n'
const receivers: readonly [string, (socket: Socket) => void, string][] = [
  ['answers 200', (socket) => void socket.end(`${head}content-length: 0\r\n\r\n`), 'delivered'],
  [
    'sends a body without end',
    (socket) => {
      socket.write(`${head}\r\n`)
      flood(socket, 'x'.repeat(65_536))
    },
    'delivered',
  ],
  [
    'accepts the message, then ends in the middle of its answer',
    (socket) => void socket.end(`${head}content-length: 9\r\n\r\nhalf`),
    'delivered',
  ],
  [
    'sends headers without end',
    (socket) => {
      socket.write(head)
      flood(socket, `x-more: ${'x'.repeat(8_000)}\r\n`)
    },
    'retried: 127.0.0.1 cannot be reached.',
  ],
  [
    'closes the connection without an answer',
    (socket) => void socket.end(),
    'retried: 127.0.0.1 cannot be reached.',
  ],
  [
    'answers something else than HTTP',
    (socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n\r\n'),
    'retried: 127.0.0.1 cannot be reached.',
  ],
  [
    'answers 410',
    (socket) => void socket.end('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'),
    'given up: 127.0.0.1 answered HTTP 410.',
  ],
]

test.each(receivers)(
  'a receiver that %s',
  async (_name, answer, outcome) => {
    const { url, ended } = await openReceiver(answer)
    expect(await post(url)).toBe(outcome)
    // The gateway keeps no connection to a receiver.
    await ended
  },
  patience(60_000),
)

test('a receiver that redirects to another one: the other one is not asked', async () => {
  const other = await openReceiver((socket) => void socket.end(`${head}content-length: 0\r\n\r\n`))
  for (const status of [301, 302, 303, 307, 308]) {
    const answer = `HTTP/1.1 ${status} Moved\r\nlocation: ${other.url}\r\ncontent-length: 0\r\n\r\n`
    const { url } = await openReceiver((socket) => void socket.end(answer))
    const words = 'Redirects are not followed; enter the final URL.'
    expect(await post(url)).toBe(`retried: 127.0.0.1 answered HTTP ${status}. ${words}`)
  }
  expect(other.count()).toBe(0)
})

test('a receiver that never answers is left after the time of an attempt', async () => {
  const { url, ended } = await openReceiver((socket) => void socket.write('HTTP/1.1 2'))
  expect(await post(url, 50)).toBe('retried: 127.0.0.1 did not answer in time.')
  await ended
})
