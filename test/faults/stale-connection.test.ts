import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Provision } from '../../src/config/provision.ts'
import { chatBody } from '../support/gateway/ask.ts'
import { startGateway, type TestGateway } from '../support/gateway/start-gateway.ts'
import { expectOrder } from '../support/gateway/with-gateway.ts'
import {
  type Arrival,
  type RawUpstream,
  startRawUpstream,
} from '../support/outgoing/start-raw-upstream.ts'
import { testProtocols } from '../support/protocols/test-protocols.ts'
import { chunked, sized, streamType, wholeType } from './answer-bytes.ts'

/*
 * An upstream closes a kept-alive connection at the moment when the gateway sends a request on it. The gateway sends
 * the request once more, on a new connection, as a counted attempt. The health of the upstream is not affected. After
 * the first byte of an answer, a request is never repeated.
 */

const { upstream: words } = testProtocols['chat-completions']
const model = 'gpt-stale'
const capped = 'gpt-stale-capped'

type Play = (arrival: Arrival) => void
let play: Play = answer
let place: RawUpstream
let gateway: TestGateway
beforeAll(async () => {
  place = await startRawUpstream((arrival) => play(arrival))
  gateway = await startGateway({ extend })
})
afterEach(async () => {
  play = answer
  await expectOrder(gateway)
})
afterAll(async () => {
  await gateway.stop()
  await place.stop()
})

function extend(provision: Provision): Provision {
  const [like] = provision.models
  const one = provision.upstreams.find(({ id }) => id === 'one')
  if (!like || !one) throw new Error('the usual provision has changed')
  const ids = [model, capped]
  const baseUrl = `http://127.0.0.1:${place.port}/v1`
  return {
    ...provision,
    models: [...provision.models, ...ids.map((id) => ({ ...like, id, where: 'test' }))],
    upstreams: [
      ...provision.upstreams,
      ...ids.map((id) => ({
        ...one,
        id,
        baseUrl,
        models: [{ model: id, upstreamModel: id }],
        ...(id === capped && { concurrencyMax: 1 }),
      })),
      { ...one, id: 'behind', models: [{ model, upstreamModel: model }], priority: 1 },
    ],
  }
}

function answer({ socket, body }: Arrival): void {
  const said = { pieces: ['Good ', 'morning'] }
  if (body.includes('"stream":true')) socket.write(chunked(streamType, words.events(said)))
  else socket.write(sized(200, wholeType, JSON.stringify(words.reply(said))))
}

/** Closes reused connections in this way, and answers on new ones. */
function closingKept(close: Play): Play {
  return (arrival) => (arrival.turn > 1 ? close(arrival) : answer(arrival))
}

interface Asked {
  readonly status: number
  readonly requestId: string
  /** The received requests: the number of the connection, and of the request on it. */
  readonly came: readonly (readonly [connection: number, turn: number])[]
}

async function ask(body: object): Promise<Asked> {
  const before = place.arrivals.length
  const { status, requestId } = await gateway.ask({ key: 'plain', body })
  const came = place.arrivals
    .slice(before)
    .map(({ connection, turn }) => [connection, turn] as const)
  return { status, requestId, came }
}

const targetOf = (id: string) => gateway.node.routing.health.viewOf(id).targets[0]

const closings: readonly { name: string; close: Play }[] = [
  { name: 'closed', close: ({ socket }) => void socket.end() },
  { name: 'reset', close: ({ socket }) => void socket.resetAndDestroy() },
]
const shapes = [false, true].flatMap((isStream) =>
  closings.map((closing) => ({ ...closing, isStream })),
)

describe('a kept-alive connection that the upstream closes', () => {
  test.each(shapes)(
    '$name, stream $isStream: the request is repeated on a new connection',
    async (shape) => {
      const body = chatBody({ model, stream: shape.isStream })
      expect((await ask(body)).status).toBe(200)
      play = closingKept(shape.close)
      const { status, requestId, came } = await ask(body)
      expect(status).toBe(200)
      expect(came.map(([, turn]) => turn > 1)).toEqual([true, false])
      expect(await gateway.money.attempts(requestId)).toMatchObject([
        { upstream_id: model, status: 502, reason: 'stale_connection' },
        {
          upstream_id: model,
          status: 200,
          reason: null,
          note: expect.stringContaining('"retryAfter":"stale_connection"'),
        },
      ])
      expect(await gateway.money.usageRow(requestId)).toMatchObject({ status: 200, reason: null })
      expect(targetOf(model)).toMatchObject({ failuresInRow: 0, healthScore: 1, inFlight: 0 })
      expect(gateway.logLines.join('')).toContain('the kept connection was closed')
    },
  )

  test('the repeat fits an upstream with a limit of one concurrent request', async () => {
    const body = chatBody({ model: capped })
    await ask(body)
    play = closingKept(({ socket }) => void socket.end())
    expect((await ask(body)).status).toBe(200)
  })

  test('if the new connection fails too, the upstream failed, and there is no third attempt at it', async () => {
    const body = chatBody({ model: capped })
    await ask(body)
    play = ({ socket }) => void socket.end()
    const { status, requestId, came } = await ask(body)
    expect(status).toBe(502)
    expect(came).toHaveLength(2)
    const attempts = await gateway.money.attempts(requestId)
    expect(attempts.map(({ reason }) => reason)).toEqual(['stale_connection', 'upstream_error'])
    expect((await gateway.money.entry(requestId)).cost_nano).toBe(0n)
    expect(targetOf(capped)?.failuresInRow).toBe(1)
  })

  test('then the next upstream is tried, if there is one', async () => {
    const body = chatBody({ model })
    await ask(body)
    play = ({ socket }) => void socket.end()
    const { status, requestId } = await ask(body)
    expect(status).toBe(200)
    expect(await gateway.money.attempts(requestId)).toMatchObject([
      { upstream_id: model, reason: 'stale_connection' },
      { upstream_id: model, reason: 'upstream_error' },
      { upstream_id: 'behind', status: 200 },
    ])
  })

  test('the repeat counts as a retry: without retry budget there is none', async () => {
    const body = chatBody({ model })
    await ask(body)
    play = closingKept(({ socket }) => void socket.end())
    const { budget } = gateway.node.routing
    const nowMs = gateway.clock.monotonicMs() + 60_000
    while (budget.take(nowMs)) {}
    const { status, came } = await ask(body)
    expect(status).toBe(502)
    expect(came).toHaveLength(1)
  })
})

describe('requests that are not repeated at the same upstream', () => {
  test.each(shapes)(
    'a new connection, $name without a response, stream $isStream',
    async (shape) => {
      const body = chatBody({ model: capped, stream: shape.isStream })
      // No connection is kept alive: each answer closes its connection.
      play = ({ socket }) => void socket.end(sized(500, wholeType, '{}', { connection: 'close' }))
      while ((await ask(body)).came.some(([, turn]) => turn > 1)) {}
      gateway.node.routing.forget()
      play = shape.close
      const { status, requestId, came } = await ask(body)
      expect(status).toBe(502)
      expect(came.map(([, turn]) => turn)).toEqual([1])
      expect(await gateway.money.attempts(requestId)).toMatchObject([{ reason: 'upstream_error' }])
      expect(targetOf(capped)?.failuresInRow).toBe(1)
    },
  )

  test.each(['H', 'HTTP/1.1 20', 'HTTP/1.1 100 Continue\r\n\r\n'])(
    'a kept-alive connection that has delivered %j',
    async (text) => {
      const body = chatBody({ model: capped })
      await ask(body)
      play = ({ socket }) => void socket.end(text)
      const { status, requestId, came } = await ask(body)
      expect(status).toBe(502)
      expect(came.map(([, turn]) => turn > 1)).toEqual([true])
      expect(await gateway.money.attempts(requestId)).toMatchObject([{ reason: 'upstream_error' }])
    },
  )
})
