import { describe, expect, test } from 'bun:test'
import { createSendHttp } from '../../../src/http-out/outgoing-http.ts'
import { StopSwitch } from '../../../src/http-out/stop-switch.ts'
import { eventually } from '../../support/eventually.ts'
import { chatBody } from '../../support/gateway/ask.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { missingPart } from '../../support/missing-part.ts'
import { hasOpenssl, makePrivateCa } from '../../support/outgoing/make-private-ca.ts'
import {
  type Arrival,
  answerOk,
  startRawUpstream,
} from '../../support/outgoing/start-raw-upstream.ts'

/*
 * The behaviour of the runtime when a kept-alive connection breaks. Every request has its own name in its body or path:
 * none may arrive twice, because every repeat must be a counted attempt.
 */

interface Ending {
  readonly name: string
  /** Runs after the first answer on the connection. */
  afterFirst?(arrival: Arrival): void
  /** Runs with the second request on it. */
  onSecond?(arrival: Arrival): void
  /** The request was read and not answered, so it must fail. */
  readonly isLost?: boolean
}

const endings: Ending[] = [
  { name: 'nothing happens' },
  { name: 'the connection is closed while idle', afterFirst: ({ socket }) => socket.end() },
  {
    name: 'the connection is reset while idle',
    afterFirst: ({ socket }) => void socket.resetAndDestroy(),
  },
  {
    name: 'the upstream sends 408 while idle and closes the connection',
    afterFirst: ({ socket }) =>
      void socket.end('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n'),
  },
  {
    name: 'the connection is closed after the request was read',
    onSecond: ({ socket }) => socket.end(),
    isLost: true,
  },
  {
    name: 'the connection is reset after the request was read',
    onSecond: ({ socket }) => void socket.resetAndDestroy(),
    isLost: true,
  },
  {
    name: 'the connection is closed within the response head',
    onSecond: ({ socket }) => void socket.end('HTTP/1.1 20'),
    isLost: true,
  },
]

const url = (scheme: string, port: number, path: string) => `${scheme}://localhost:${port}${path}`

describe('a kept connection breaks, and nothing is sent twice', () => {
  const ca = hasOpenssl ? makePrivateCa('localhost') : undefined
  if (!ca) missingPart('scenario: repeats over TLS', 'no openssl')
  const schemes = ca ? ['http', 'https'] : ['http']
  const methods = ['POST', 'GET', 'DELETE'] as const
  for (const scheme of schemes) {
    for (const method of methods) {
      test.each(endings)(`${method} over ${scheme}: $name`, async (ending) => {
        const play = (arrival: Arrival) => {
          const { connection, turn, socket } = arrival
          if (connection === 1 && turn === 2 && ending.onSecond) return ending.onSecond(arrival)
          socket.write(answerOk, () => {
            if (connection === 1 && turn === 1) ending.afterFirst?.(arrival)
          })
        }
        const certificate = scheme === 'https' ? ca?.certificate : undefined
        const upstream = await startRawUpstream(play, certificate)
        const connection = { proxy: undefined, ca: ca?.root, allowsPrivate: false }
        const send = createSendHttp()
        const ask = (name: string) =>
          send({
            method,
            url: url(scheme, upstream.port, `/${name}`),
            headers: new Headers(),
            body: method === 'POST' ? name.repeat(100) : undefined,
            stop: new StopSwitch(),
            connection,
          }).then(
            async ({ body }) => new TextDecoder().decode(await body.readWhole(1_000)),
            () => 'failed',
          )
        expect(await ask('first')).toBe('ok')
        if (ending.afterFirst) {
          const socket = upstream.arrivals[0]?.socket
          await eventually('the connection is closed', () => socket?.destroyed === true)
        }
        const second = await ask('second')
        // One more request, so that a late repeat is noticed as well.
        expect(await ask('third')).toBe('ok')
        const names = upstream.arrivals.map(({ head }) => /\/(\w+) HTTP/.exec(head)?.[1])
        expect(new Set(names).size).toBe(names.length)
        // Only a POST uses a connection again.
        if (ending.isLost === true && method === 'POST') expect(second).toBe('failed')
        if (ending.isLost !== true && !ending.afterFirst) expect(second).toBe('ok')
        expect(names.filter((name) => name === 'second').length).toBe(
          second === 'ok' || ending.isLost === true ? 1 : 0,
        )
        await upstream.stop()
      })
    }
  }
})

describe('every arrival at an upstream is an attempt in the log', () => {
  const gateway = withGateway()
  const shapes = [false, true]
  test.each(shapes)('the kept connection is reset, stream %p', async (isStream) => {
    const { ask, one, two, money } = gateway()
    const body = chatBody({ stream: isStream })
    expect((await ask({ key: 'plain', body })).status).toBe(200)
    one.script('next', { kind: 'reset' })
    const reply = await ask({ key: 'plain', body })
    expect(reply.status).toBe(200)
    expect(one.requests).toHaveLength(3)
    expect(two.requests).toHaveLength(0)
    expect(await money.attempts(reply.requestId)).toMatchObject([
      { upstream_id: 'one', reason: 'stale_connection' },
      { upstream_id: 'one', status: 200, reason: null },
    ])
  })

  test.each(shapes)(
    'if the new connection is reset too, the attempt has failed, stream %p',
    async (isStream) => {
      const { ask, one, money } = gateway()
      const body = chatBody({ model: 'gpt-y', stream: isStream })
      expect((await ask({ key: 'plain', body })).status).toBe(200)
      one.script({}, { kind: 'reset' })
      const reply = await ask({ key: 'plain', body })
      expect(reply.status).toBe(502)
      const attempts = await money.attempts(reply.requestId)
      expect(attempts.map(({ reason }) => reason)).toEqual(['stale_connection', 'upstream_error'])
      expect(one.requests).toHaveLength(1 + attempts.length)
      expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
    },
  )
})
