import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import { eventually } from '../../support/eventually.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { chatBody, chatPath, type Question } from '../../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { redisPath, startRedis, type TestRedis } from '../../support/redis/start-redis.ts'

const path = redisPath('places of ended requests with Redis')
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }

const messages = (more = {}) => ({
  path: '/v1/messages',
  body: {
    model: 'gpt-x',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Good morning' }],
    ...more,
  },
})
const delta = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hello' } }] })}\n\n`
const stream = { 'content-type': 'text/event-stream' }
const chat = (more = {}) => ({ path: chatPath, body: chatBody(more) })

interface Ending {
  readonly what: string
  readonly question?: Question
  readonly upstream?: Behaviour
  /** The client disconnects when the upstream has the request, or after the first bytes of the answer. */
  readonly leaves?: 'before' | 'after'
}

const endings: readonly Ending[] = [
  { what: 'an answer' },
  { what: 'a stream', question: chat({ stream: true }) },
  { what: 'a translated stream', question: messages({ stream: true }) },
  ...[400, 401, 429, 500, 503].map(
    (status): Ending => ({ what: `status ${status}`, upstream: { kind: 'status', status } }),
  ),
  { what: 'a lost connection', upstream: { kind: 'reset' } },
  { what: 'an answer that is not JSON', upstream: { kind: 'reply', body: '<html>' } },
  {
    what: 'an answer that cannot be translated',
    question: messages(),
    upstream: { kind: 'reply', body: '{"choices":7}' },
  },
  {
    what: 'a stream that is not JSON',
    question: messages({ stream: true }),
    upstream: { kind: 'events', headers: stream, events: ['data: <html>\n\n'], end: 'clean' },
  },
  {
    what: 'a stream that is cut',
    question: chat({ stream: true }),
    upstream: { kind: 'events', headers: stream, events: [delta], end: 'cut' },
  },
  {
    what: 'a silent upstream',
    upstream: { kind: 'stall-before-headers' },
  },
  {
    what: 'a stream that falls silent',
    question: messages({ stream: true }),
    upstream: { kind: 'events', headers: stream, events: [delta], end: 'stall' },
  },
  {
    what: 'a client that leaves before the answer',
    upstream: { kind: 'stall-before-headers' },
    leaves: 'before',
  },
  {
    what: 'a client that leaves before the stream',
    question: chat({ stream: true }),
    upstream: { kind: 'stall-before-headers' },
    leaves: 'before',
  },
  {
    what: 'a client that leaves the stream',
    question: chat({ stream: true }),
    upstream: { kind: 'events', headers: stream, events: [delta], end: 'stall' },
    leaves: 'after',
  },
  {
    what: 'a client that leaves the translated stream',
    question: messages({ stream: true }),
    upstream: { kind: 'events', headers: stream, events: [delta], end: 'stall' },
    leaves: 'after',
  },
  { what: 'an unknown model', question: chat({ model: 'none' }) },
  { what: 'a request that is not JSON', question: { path: chatPath, body: '{' } },
  { what: 'a wrong parameter', question: chat({ messages: 7 }) },
  { what: 'too much output', question: chat({ max_tokens: 10 ** 9 }) },
  { what: 'HEAD', question: { path: chatPath, method: 'HEAD' } },
]

for (const place of ['this process', 'Redis'] as const) {
  if (place === 'Redis' && path === undefined) continue
  describe(`a place in ${place} becomes free`, () => {
    let redis: TestRedis | undefined
    let gateway: TestGateway
    let id = ''
    let headers: Record<string, string> = {}
    beforeAll(async () => {
      redis = place === 'Redis' ? await startRedis(path ?? '') : undefined
      gateway = await startGateway(redis ? { limitsUrl: redis.url, limitsFallback: 'refuse' } : {})
    })
    afterAll(async () => {
      await gateway.stop()
      await redis?.stop()
    })
    beforeEach(async () => {
      for (const upstream of [gateway.one, gateway.two]) upstream.reset()
      const made = await write(gateway.engine, Date.now(), (writing) =>
        createKey(writing, tools, { accountId: 'acme', name: 'limited', concurrentRequests: 1 }),
      )
      id = made.id
      headers = { authorization: `Bearer ${made.value}` }
    })

    const expectFree = async () => {
      for (const upstream of [gateway.one, gateway.two]) upstream.reset()
      await gateway.clock.passTimeUntil(
        eventually('the place is free', async () => {
          const { status, json } = await gateway.ask({ headers, ...chat() })
          if (status === 429)
            expect(json).toMatchObject({ error: { limit: 'key.concurrent_requests' } })
          return status === 200
        }),
        2_000,
      )
      await eventually(
        'no place is taken',
        async () =>
          !redis || (await redis.send('EXISTS', `tollgate:{limits}:running:key:${id}`)) === 0,
      )
    }

    test.each(endings)('after $what', async ({ question = chat(), upstream, leaves }) => {
      const { one, two, clock } = gateway
      if (upstream) for (const each of [one, two]) each.script({}, upstream)
      const leaving = new AbortController()
      const asked = gateway.open({ headers, ...question, signal: leaving.signal })
      if (leaves === 'before') {
        await one.whenRequested(1)
        leaving.abort()
        await asked.catch(() => undefined)
      } else {
        const response = await clock.passTimeUntil(asked, 5_000)
        if (leaves === 'after') {
          const reader = response.body?.getReader()
          await reader?.read()
          leaving.abort()
        } else
          await clock.passTimeUntil(
            response.text().catch(() => ''),
            5_000,
          )
      }
      await expectFree()
    })

    test('after an upload that was broken off', async () => {
      const { hostname, port } = new URL(gateway.url)
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      const head = `POST ${chatPath} HTTP/1.1\r\nhost: a\r\nauthorization: ${headers['authorization']}\r\n`
      socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":`)
      await eventually('the request has arrived', () => gateway.pending() > 0)
      socket.destroy()
      await expectFree()
    })
  })
}
