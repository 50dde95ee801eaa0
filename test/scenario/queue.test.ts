import { afterEach, describe, expect, test } from 'bun:test'
import { drain } from '../../src/app/drain.ts'
import type { Provision } from '../../src/config/provision.ts'
import { priorities } from '../../src/core/priority.ts'
import type { Listener } from '../../src/http-in/listen.ts'
import { createLog } from '../../src/telemetry/log.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { eventually } from '../support/eventually.ts'
import type { FakeUpstream } from '../support/fake-upstream/start-fake-upstream.ts'
import { chatBody, type Reply } from '../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../support/gateway/chat-events.ts'
import { withRouting } from '../support/gateway/routing-provision.ts'
import { startGateway, type TestGateway } from '../support/gateway/start-gateway.ts'
import { readStream } from '../support/gateway/stream-reader.ts'
import type { KeyName } from '../support/gateway/test-provision.ts'
import { expectOrder, withGateway } from '../support/gateway/with-gateway.ts'

const queue = { waitMs: 30_000, lengthMax: 12 }
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
const costNano = 125_000n
const breath = ': keep-alive\n\n'

/** gpt-pair has two upstreams, each with one place. Three keys of the same account differ in priority. */
function withPriorities(provision: Provision): Provision {
  const routed = withRouting(provision)
  const [like] = routed.models
  const capped = routed.upstreams.find(({ id }) => id === 'capped')
  const two = routed.upstreams.find(({ id }) => id === 'two')
  if (!like || !capped || !two) throw new Error('the usual provision has changed')
  const models = [{ model: 'gpt-pair', upstreamModel: 'gpt-pair' }]
  const own: Partial<Record<KeyName, 'high' | 'low'>> = { local: 'high', expiring: 'low' }
  return {
    ...routed,
    models: [...routed.models, { ...like, id: 'gpt-pair' }],
    upstreams: [
      ...routed.upstreams,
      { ...capped, id: 'pair-one', models },
      { ...two, id: 'pair-two', models, priority: 1, concurrencyMax: 1 },
    ],
    groups: routed.groups.map((group) =>
      group.id === 'default' ? { ...group, priority: 'normal' } : group,
    ),
    keys: routed.keys.map((key) => ({ ...key, priority: own[key.id as KeyName] ?? null })),
  }
}

const gateway = withGateway({ extend: withPriorities, queue })
const without = withGateway({ extend: withPriorities })
const others: TestGateway[] = []
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop()
})

/** The next answer of the upstream waits for `release`. */
function holdBack(upstream: FakeUpstream): () => void {
  const gate = Promise.withResolvers<void>()
  upstream.script('next', {
    kind: 'events',
    headers: { 'content-type': 'application/json' },
    events: [JSON.stringify({ choices: [], usage })],
    end: 'clean',
    gates: [gate.promise],
  })
  return gate.resolve
}

const body = (more: JsonObject = {}) => chatBody({ model: 'gpt-capped', ...more })

/** Takes the only place of an upstream until `release`. */
async function occupy({ ask, one }: TestGateway, key: KeyName = 'plain') {
  const release = holdBack(one)
  const seen = one.requests.length
  const running = ask({ key, body: body() })
  await one.whenRequested(seen + 1)
  return { running, release }
}

const lengthOf = ({ node }: TestGateway) =>
  priorities.reduce((sum, each) => sum + (node.routing.queue?.lengthOf(each) ?? 0), 0)
const untilWaiting = (at: TestGateway, count: number) =>
  eventually(`${count} wait`, () => lengthOf(at) === count)

/** What a client can compare: everything except the id of the request. */
const shownBy = ({ status, headers, text, requestId }: Reply) => ({
  status,
  retryAfter: headers.get('retry-after'),
  text: text.replaceAll(requestId, 'ID'),
})

const messages = [{ role: 'user', content: 'Hello' }]
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const google = '/v1beta/models/gpt-capped'
const clients: [name: string, path: string, body: JsonObject][] = [
  ['chat-completions', '/v1/chat/completions', body()],
  ['chat-completions as a stream', '/v1/chat/completions', body({ stream: true })],
  ['responses', '/v1/responses', { model: 'gpt-capped', input: 'Hello' }],
  ['responses as a stream', '/v1/responses', { model: 'gpt-capped', input: 'Hello', stream: true }],
  ['messages', '/v1/messages', { model: 'gpt-capped', messages, max_tokens: 9 }],
  [
    'messages as a stream',
    '/v1/messages',
    { model: 'gpt-capped', messages, max_tokens: 9, stream: true },
  ],
  ['generate-content', `${google}:generateContent`, { contents }],
  ['generate-content as a stream', `${google}:streamGenerateContent?alt=sse`, { contents }],
]

describe.each(clients)('an upstream that is full, in %s', (_, path, request) => {
  test('the request waits, is served, and is charged once', async () => {
    const { ask, one, money } = gateway()
    one.script({}, { kind: 'lie-usage', usage })
    const { running, release } = await occupy(gateway())
    const waiting = ask({ key: 'plain', path, body: request })
    await untilWaiting(gateway(), 1)
    expect(one.requests.length).toBe(1)
    release()
    const [first, reply] = await Promise.all([running, waiting])
    expect([first.status, reply.status]).toEqual([200, 200])
    expect(first.headers.get('x-gateway-queue-ms')).toBeNull()
    expect(reply.headers.get('x-gateway-queue-ms')).toMatch(/^\d+$/)
    expect(one.requests.length).toBe(2)
    const row = await money.usageRow(reply.requestId)
    expect(row).toMatchObject({ status: 200, reason: null, cost_nano: costNano })
    expect(row.queued_ms).toBe(Number(reply.headers.get('x-gateway-queue-ms')))
    expect(row.note).toContain('queued')
    expect((await money.usageRow(first.requestId)).queued_ms).toBeNull()
    expect((await money.entry(reply.requestId)).cost_nano).toBe(costNano)
  })

  test('after the longest wait the answer is the one without a queue, and nothing is charged', async () => {
    const held = await occupy(without())
    const expected = shownBy(await without().ask({ key: 'plain', path, body: request }))
    held.release()
    expect((await held.running).status).toBe(200)
    expect(expected).toMatchObject({ status: 503, retryAfter: '1' })
    const { ask, clock, money, one } = gateway()
    const { running, release } = await occupy(gateway())
    const waiting = ask({ key: 'plain', path, body: request })
    await untilWaiting(gateway(), 1)
    clock.passTime(queue.waitMs)
    const refused = await waiting
    expect(shownBy(refused)).toEqual(expected)
    expect(lengthOf(gateway())).toBe(0)
    const row = await money.usageRow(refused.requestId)
    expect(row).toMatchObject({ status: 503, reason: 'no_upstream_available', cost_nano: 0n })
    expect(row.queued_ms).toBeGreaterThanOrEqual(queue.waitMs)
    release()
    expect((await running).status).toBe(200)
    expect(one.requests.length).toBe(1)
  })

  test('a client that leaves is out of the queue, and its money is free', async () => {
    const { open, node, engine, one } = gateway()
    const { running, release } = await occupy(gateway())
    const leaving = new AbortController()
    const asked = open({ key: 'plain', path, body: request, signal: leaving.signal })
    asked.catch(() => undefined)
    await untilWaiting(gateway(), 1)
    expect(node.ledger.openHolds).toBe(2)
    leaving.abort()
    await untilWaiting(gateway(), 0)
    await eventually('the hold has ended', () => node.ledger.openHolds === 1)
    release()
    expect((await running).status).toBe(200)
    expect(one.requests.length).toBe(1)
    await node.ledger.shipped()
    const rows = engine.db.selectFrom('usage_row').selectAll().where('reason', '=', 'client_gone')
    const gone = await rows.orderBy('at', 'desc').execute()
    expect(gone[0]).toMatchObject({ status: 499, cost_nano: 0n, upstream_id: null })
    expect(gone[0]?.queued_ms).not.toBeNull()
  })
})

describe('the queue', () => {
  test('serves by priority, one request for each free place', async () => {
    const { ask, one } = gateway()
    const { running, release } = await occupy(gateway())
    const names = { expiring: 'low', plain: 'normal', local: 'high' } as const
    const asked: Promise<Reply>[] = []
    for (const key of Object.keys(names) as (keyof typeof names)[]) {
      asked.push(ask({ key, body: body({ user: names[key] }) }))
      await untilWaiting(gateway(), asked.length)
    }
    const releases = asked.map(() => holdBack(one))
    release()
    for (const [index, next] of releases.entries()) {
      await one.whenRequested(index + 2)
      expect(lengthOf(gateway())).toBe(2 - index)
      expect(one.requests.length).toBe(index + 2)
      next()
    }
    for (const reply of await Promise.all([running, ...asked])) expect(reply.status).toBe(200)
    const order = one.requests.map(({ body: sent }) => JSON.parse(sent).user)
    expect(order).toEqual([undefined, 'high', 'normal', 'low'])
  })

  test('an account that has its part of the queue is refused at once; others may wait', async () => {
    const { ask } = gateway()
    const { running, release } = await occupy(gateway())
    const asked = [0, 1, 2].map(() => ask({ key: 'plain', body: body() }))
    await untilWaiting(gateway(), 3)
    const refused = await ask({ key: 'plain', body: body() })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    const other = ask({ key: 'tight', body: body() })
    await untilWaiting(gateway(), 4)
    release()
    for (const reply of await Promise.all([running, other, ...asked]))
      expect(reply.status).toBe(200)
  })

  test('is not used while another upstream is free; then the first free one serves', async () => {
    const { ask, one, two } = gateway()
    const pair = chatBody({ model: 'gpt-pair' })
    const [releaseOne, releaseTwo] = [holdBack(one), holdBack(two)]
    const first = ask({ key: 'plain', body: pair })
    await one.whenRequested(1)
    const second = ask({ key: 'plain', body: pair })
    await two.whenRequested(1)
    expect(lengthOf(gateway())).toBe(0)
    const third = ask({ key: 'plain', body: pair })
    await untilWaiting(gateway(), 1)
    releaseTwo()
    expect((await third).status).toBe(200)
    expect([one.requests.length, two.requests.length]).toEqual([1, 2])
    releaseOne()
    for (const reply of await Promise.all([first, second])) {
      expect(reply.status).toBe(200)
      expect(reply.headers.get('x-gateway-queue-ms')).toBeNull()
    }
  })

  test.each([false, true])('a retry waits for another upstream, stream: %p', async (stream) => {
    const { ask, one, two, money } = gateway()
    const pair = (more: JsonObject = {}) => chatBody({ model: 'gpt-pair', ...more })
    const releaseTwo = holdBack(two)
    const failing = Promise.withResolvers<void>()
    const gates = [failing.promise]
    one.script('next', { kind: 'events', status: 500, events: ['{}'], end: 'clean', gates })
    const third = ask({ key: 'plain', body: pair({ stream }) })
    await one.whenRequested(1)
    const second = ask({ key: 'plain', body: pair() })
    await two.whenRequested(1)
    failing.resolve()
    await untilWaiting(gateway(), 1)
    releaseTwo()
    const reply = await third
    expect([reply.status, (await second).status]).toEqual([200, 200])
    expect(two.requests.length).toBe(2)
    const [failed, served] = await money.attempts(reply.requestId)
    expect(failed).toMatchObject({ upstream_id: 'pair-one', reason: 'upstream_error' })
    expect(served).toMatchObject({ upstream_id: 'pair-two', reason: null })
    expect(served?.note).toContain('queued')
  })

  test('a client that has the headers of its stream gets keep-alives while the retry waits', async () => {
    const { ask, open, one, two, clock, money } = gateway()
    const releaseTwo = holdBack(two)
    const failing = Promise.withResolvers<void>()
    const gates = [undefined, failing.promise]
    const events = [roleChunk({ id: 'from-the-first' }), ': nothing\n\n']
    one.script('next', { kind: 'events', events, end: 'cut', gates })
    const opening = open({ key: 'plain', body: chatBody({ model: 'gpt-pair', stream: true }) })
    await one.whenRequested(1)
    const second = ask({ key: 'plain', body: chatBody({ model: 'gpt-pair' }) })
    await two.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    await stream.readUntil(breath)
    failing.resolve()
    await untilWaiting(gateway(), 1)
    clock.passTime(16_000)
    expect(await stream.readUntil(breath + breath)).not.toContain('data:')
    expect(lengthOf(gateway())).toBe(1)
    const answer = [roleChunk(), chunk('from the second'), stopChunk(), done]
    two.script('next', { kind: 'events', events: answer, end: 'clean' })
    releaseTwo()
    expect((await stream.readAll()).replaceAll(breath, '')).toBe(answer.join(''))
    expect((await second).status).toBe(200)
    const row = await money.usageRow(stream.requestId)
    expect(row).toMatchObject({ status: 200, upstream_id: 'pair-two' })
    expect(row.queued_ms).toBeGreaterThanOrEqual(16_000)
  })

  test('many clients at once: the cap holds, each request is answered and charged once', async () => {
    const storm = await startGateway({
      extend: withPriorities,
      queue: { ...queue, lengthMax: 400 },
    })
    others.push(storm)
    const { ask, one, node, money } = storm
    const atOnce: number[] = []
    one.script({}, { kind: 'lie-usage', usage })
    one.script(
      () => {
        atOnce.push(node.routing.health.viewOf('capped').inFlight)
        return false
      },
      { kind: 'demo' },
    )
    const keys = ['plain', 'local', 'expiring', 'other'] as const
    const asked = Array.from({ length: 80 }, (_, index) =>
      ask({ key: keys[index % keys.length] ?? 'plain', body: body({ stream: index % 3 === 0 }) }),
    )
    const replies = await Promise.all(asked)
    expect(replies.filter(({ status }) => status !== 200)).toEqual([])
    expect(atOnce).toEqual(asked.map(() => 1))
    expect(lengthOf(storm)).toBe(0)
    expect(node.routing.health.viewOf('capped').inFlight).toBe(0)
    expect(await money.counts()).toEqual({ entries: 80, rows: 80 })
    for (const { requestId } of replies)
      expect((await money.entry(requestId)).cost_nano).toBe(costNano)
    await expectOrder(storm)
  })

  test('the explanation says that the request would wait', async () => {
    const { ask } = gateway()
    const explained = () =>
      ask({ key: 'local', body: body(), headers: { 'x-gateway-explain': 'true' } })
    expect((await explained()).json['queue']).toBeUndefined()
    const { running, release } = await occupy(gateway())
    const { json } = await explained()
    expect(json['queue']).toEqual({ would_wait: true, priority: 'high', seconds_max: 30 })
    expect(lengthOf(gateway())).toBe(0)
    release()
    await running
  })

  test('the metrics tell how many wait and how long they waited', async () => {
    const { ask, url } = gateway()
    const { running, release } = await occupy(gateway())
    const waiting = ask({ key: 'expiring', body: body() })
    await untilWaiting(gateway(), 1)
    const metrics = async () => (await fetch(`${url}/metrics`)).text()
    const during = await metrics()
    expect(during).toContain('tollgate_queue_length{priority="low"} 1')
    expect(during).toContain('tollgate_queue_length{priority="high"} 0')
    release()
    await Promise.all([running, waiting])
    const after = await metrics()
    expect(after).toContain('tollgate_queue_length{priority="low"} 0')
    expect(after).toMatch(/queue_wait_seconds_count\{priority="low",outcome="served"\} \d/)
  })

  test('a process that stops answers all who wait at once, and lets nobody wait', async () => {
    const stopping = await startGateway({ extend: withPriorities, queue })
    others.push(stopping)
    const { ask, node, one, money } = stopping
    const { running, release } = await occupy(stopping)
    const asked = [ask({ key: 'plain', body: body() }), ask({ key: 'local', body: body() })]
    await untilWaiting(stopping, 2)
    const log = createLog({ level: 'error', nowMs: Date.now, write: () => undefined })
    const listener = { pending: stopping.pending, stop: async () => undefined } as Listener
    const monotonicMs = () => performance.now()
    const still = { ...node, close: async () => undefined }
    const drained = drain({ listener, node: still, log, drainMs: 60_000, monotonicMs }, () => false)
    const replies = [...(await Promise.all(asked)), await ask({ key: 'plain', body: body() })]
    for (const reply of replies) {
      expect(reply.status).toBe(503)
      expect(reply.headers.get('retry-after')).toBe('1')
      expect(await money.usageRow(reply.requestId)).toMatchObject({ cost_nano: 0n })
    }
    release()
    expect((await running).status).toBe(200)
    await drained
    expect(one.requests.length).toBe(1)
    await expectOrder(stopping)
  })
})
