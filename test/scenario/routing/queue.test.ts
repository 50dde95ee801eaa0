import { afterEach, describe, expect, test } from 'bun:test'
import { drain } from '../../../src/app/stop/drain.ts'
import type { Listener } from '../../../src/http-in/listen.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import { chatBody, type Reply } from '../../support/gateway/ask.ts'
import { chunk, done, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { expectOrder, withGateway } from '../../support/gateway/with-gateway.ts'
import {
  body,
  clients,
  costNano,
  holdBack,
  lengthOf,
  occupy,
  queue,
  setConcurrency,
  untilWaiting,
  usage,
  waitingTests,
  withPriorities,
} from './queue-helpers.ts'

const breath = ': keep-alive\n\n'

const gateway = withGateway({ extend: withPriorities, queue })
const without = withGateway({ extend: withPriorities })
const others: TestGateway[] = []
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop()
})

waitingTests(clients, gateway, without)

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

  test('an account that has used its part of the queue is refused at once; others may wait', async () => {
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

  test('the explanation says whether the request would wait', async () => {
    const { ask, node } = gateway()
    const explained = async (token = 'true', at = gateway()) =>
      (await at.ask({ key: 'local', body: body(), headers: { 'x-gateway-explain': token } })).json[
        'queue'
      ]
    expect(await explained()).toBeUndefined()
    const { running, release } = await occupy(gateway())
    const waits = { would_wait: true, priority: 'high', seconds_max: 30 }
    expect(await explained()).toEqual(waits)
    expect(lengthOf(gateway())).toBe(0)
    // The account's part of the queue is used up. Only an operator sees how many wait.
    const asked = [0, 1, 2].map(() => ask({ key: 'plain', body: body() }))
    await untilWaiting(gateway(), 3)
    const refused = { ...waits, would_wait: false }
    expect(await explained()).toEqual(refused)
    expect(await explained(node.operatorToken)).toEqual({ ...refused, length: 3, length_max: 12 })
    release()
    await Promise.all([running, ...asked])
    const held = await occupy(without())
    expect(await explained('true', without())).toEqual({ ...refused, seconds_max: 0 })
    held.release()
    await held.running
  })

  test('the metrics show how many requests wait and how long they waited', async () => {
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

  test.each([3, null])(
    'a limit that is raised to %p while requests wait applies to them, before later ones',
    async (concurrency) => {
      const changed = await startGateway({ extend: withPriorities, queue })
      others.push(changed)
      const { ask, one } = changed
      const { running, release } = await occupy(changed)
      const releases = [holdBack(one), holdBack(one)]
      const names = ['first', 'second']
      const asked = names.map((user) => ask({ key: 'plain', body: body({ user }) }))
      await untilWaiting(changed, 2)
      await setConcurrency(changed, concurrency)
      await one.whenRequested(3)
      expect(lengthOf(changed)).toBe(0)
      for (const end of [release, ...releases]) end()
      for (const reply of await Promise.all([running, ...asked])) expect(reply.status).toBe(200)
      await expectOrder(changed)
    },
  )

  test('a limit that is lowered while requests wait holds for them', async () => {
    const changed = await startGateway({ extend: withPriorities, queue })
    others.push(changed)
    const { ask, one } = changed
    await setConcurrency(changed, 2)
    const held = [await occupy(changed), await occupy(changed)]
    const last = holdBack(one)
    const waiting = ask({ key: 'plain', body: body() })
    await untilWaiting(changed, 1)
    await setConcurrency(changed, 1)
    held[0]?.release()
    expect((await held[0]?.running)?.status).toBe(200)
    expect([lengthOf(changed), one.requests.length]).toEqual([1, 2])
    held[1]?.release()
    await one.whenRequested(3)
    last()
    for (const reply of await Promise.all([waiting, held[1]?.running]))
      expect(reply?.status).toBe(200)
    await expectOrder(changed)
  })

  test('a stopping process answers all waiting requests at once, and queues no more', async () => {
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
