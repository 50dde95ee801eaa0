import { describe, expect, test } from 'bun:test'
import { chatBody } from '../../support/gateway/ask.ts'
import { chunk, done, event, roleChunk, stopChunk } from '../../support/gateway/chat-events.ts'
import { withRouting } from '../../support/gateway/routing-provision.ts'
import { readStream } from '../../support/gateway/stream-reader.ts'
import { waitOut } from '../../support/gateway/wait-out.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const gateway = withGateway({ extend: withRouting })
const streamed = chatBody({ model: 'llama-x', stream: true })
/** No part of the first upstream's reply may be in the second one's. */
const begun = roleChunk({ id: 'from-the-first' })
const breath = ': keep-alive\n\n'
const answer = [roleChunk(), chunk('from the second'), stopChunk(), done]

describe('no first token in time', () => {
  test('another upstream answers instead', async () => {
    const { ask, one, two, money } = gateway()
    one.script('next', { kind: 'events', events: [begun], end: 'stall' })
    two.script('next', { kind: 'events', events: answer, end: 'clean' })
    const reply = await ask({ key: 'plain', body: { ...streamed, model: 'llama-hasty' } })
    expect(reply.text).toBe(answer.join(''))
    await one.requests[0]?.whenAborted
    expect(await money.attempts(reply.requestId)).toMatchObject([
      { upstream_id: 'hasty', reason: 'upstream_timeout' },
      { upstream_id: 'hasty-later', status: 200, note: expect.stringContaining('"retryAfter":') },
    ])
  })

  test('also when the headers were sent long ago, as long as no event was sent', async () => {
    const { open, one, two, clock, money } = gateway()
    one.script('next', { kind: 'events', events: [begun], end: 'stall' })
    two.script('next', { kind: 'events', events: answer, end: 'clean' })
    const opening = open({ key: 'plain', body: streamed })
    const request = await one.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    clock.passTime(16_000)
    expect(await stream.readUntil(breath + breath)).not.toContain('data:')
    clock.passTime(61_000)
    const text = await stream.readAll()
    expect(text.replaceAll(breath, '')).toBe(answer.join(''))
    await request.whenAborted
    expect(await money.attempts(stream.requestId)).toMatchObject([
      { upstream_id: 'llama', reason: 'upstream_timeout' },
      { upstream_id: 'llama-later', status: 200 },
    ])
    expect(await money.usageRow(stream.requestId)).toMatchObject({
      status: 200,
      upstream_id: 'llama-later',
    })
  })

  test('a reasoning model has more time', async () => {
    const { open, one, two, clock } = gateway()
    one.script('next', { kind: 'events', events: [begun], end: 'stall' })
    const opening = open({ key: 'plain', body: chatBody({ stream: true }) })
    await one.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    clock.passTime(100_000)
    // A client that still gets keep-alive comments has not been given up.
    await stream.readUntil(breath + breath)
    expect(two.requests).toHaveLength(0)
    clock.passTime(201_000)
    expect(await stream.readAll()).not.toContain('from-the-first')
    expect(two.requests).toHaveLength(1)
  })

  test.each([
    {
      name: 'an error event',
      events: [begun, event({ error: { message: 'no', type: 'server_error' } })],
    },
    { name: 'a cut', events: [begun] },
  ])('the same after $name in a promised stream', async ({ events }) => {
    const { open, one, two, clock } = gateway()
    const gate = Promise.withResolvers<void>()
    const gates = [undefined, gate.promise]
    const held = events.length > 1 ? events : [...events, ': nothing\n\n']
    one.script('next', { kind: 'events', events: held, end: 'cut', gates })
    two.script('next', { kind: 'events', events: answer, end: 'clean' })
    const opening = open({ key: 'plain', body: streamed })
    await one.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    gate.resolve()
    expect((await stream.readAll()).replaceAll(breath, '')).toBe(answer.join(''))
  })

  test('when no upstream answers, the started stream ends with the error, and nothing is charged', async () => {
    const { open, one, two, clock, money } = gateway()
    one.script('next', { kind: 'events', events: [begun], end: 'stall' })
    two.script('next', { kind: 'status', status: 500 })
    const opening = open({ key: 'plain', body: streamed })
    await one.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    clock.passTime(61_000)
    const text = await stream.readAll()
    expect(text).toContain('"code":"upstream_error"')
    expect(text).not.toContain('from-the-first')
    expect(text).not.toContain('[DONE]')
    expect(await money.usageRow(stream.requestId)).toMatchObject({ status: 502, cost_nano: 0n })
    expect((await money.entry(stream.requestId)).cost_nano).toBe(0n)
    expect(await money.attempts(stream.requestId)).toHaveLength(2)
  })

  test('a client that disconnects after the headers stops the second upstream, too', async () => {
    const { open, one, two, clock, money } = gateway()
    one.script('next', { kind: 'events', events: [begun], end: 'stall' })
    two.script('next', { kind: 'events', events: answer.slice(0, 2), end: 'stall' })
    const leaving = new AbortController()
    const opening = open({ key: 'plain', body: streamed, signal: leaving.signal })
    await one.whenRequested(1)
    const stream = readStream(await clock.passTimeUntil(opening, 2_100))
    clock.passTime(61_000)
    await stream.readUntil('from the second')
    leaving.abort()
    await waitOut(gateway())
    await two.requests[0]?.whenAborted
    expect(await money.usageRow(stream.requestId)).toMatchObject({ status: 499 })
  })

  test('after the first content there is no retry', async () => {
    const { open, one, two, clock, money } = gateway()
    one.script('next', { kind: 'events', events: [begun, chunk('half')], end: 'stall' })
    const stream = readStream(await open({ key: 'plain', body: streamed }))
    await stream.readUntil('half')
    clock.passTime(121_000)
    expect(await stream.readAll()).toContain('upstream_timeout')
    expect(two.requests).toHaveLength(0)
    expect(await money.attempts(stream.requestId)).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  test('the only upstream is retried when its Retry-After is below half a second', async () => {
    const { ask, one, money } = gateway()
    one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 0 })
    const reply = await ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
    expect(reply.status).toBe(200)
    expect(await money.attempts(reply.requestId)).toMatchObject([
      { upstream_id: 'one', status: 429 },
      { upstream_id: 'one', status: 200, note: expect.stringContaining('"retryAfter":"429"') },
    ])
  })

  test('for a longer wait, the client gets Retry-After', async () => {
    const { ask, one } = gateway()
    one.script('next', { kind: 'status', status: 429, retryAfterSeconds: 1 })
    const reply = await ask({ key: 'plain', body: chatBody({ model: 'gpt-y' }) })
    expect(reply.status).toBe(429)
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(one.requests).toHaveLength(1)
  })

  test.each([
    [429, 429],
    [503, 503],
  ])(
    'of 0 seconds with %p, twice: the client is not told to come back at once',
    async (status, told) => {
      const { ask, one } = gateway()
      one.script({}, { kind: 'status', status, retryAfterSeconds: 0 })
      for (const path of ['/v1/chat/completions', '/v1beta/models/gpt-y:generateContent']) {
        const request = {
          ...chatBody({ model: 'gpt-y' }),
          contents: [{ parts: [{ text: 'Hello' }] }],
        }
        const reply = await ask({ key: 'plain', path, body: request })
        expect(reply.status).toBe(told)
        expect(reply.headers.get('retry-after')).toBe('1')
        expect(reply.text).not.toContain('"0s"')
      }
    },
  )

  test('is not sent with the advice not to retry', async () => {
    const { ask, one, two } = gateway()
    const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }
    const said = JSON.stringify({ error: { message: 'busy', details: [retryInfo] } })
    one.script('next', { kind: 'status', status: 500 })
    two.script('next', { kind: 'reply', status: 503, body: said })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(503)
    expect(reply.headers.get('x-should-retry')).toBe('false')
    expect(reply.headers.get('retry-after')).toBeNull()
  })

  const rows: [number, number | undefined, number, number | undefined, string | null][] = [
    [429, 30, 429, 20, '20'],
    [429, 20, 429, 30, '20'],
    [503, 40, 503, 50, '40'],
    [529, 8, 503, 9, '8'],
    [503, 30, 503, undefined, null],
    [503, undefined, 503, undefined, null],
  ]
  for (const stream of [false, true]) {
    test.each(rows)(
      `of several the shortest counts, stream ${stream}: %p after %p s, %p after %p s: %p`,
      async (status, seconds, laterStatus, laterSeconds, told) => {
        const { ask, one, two } = gateway()
        const say = (code: number, wait: number | undefined) =>
          ({ kind: 'status', status: code, ...(wait ? { retryAfterSeconds: wait } : {}) }) as const
        one.script('next', say(status, seconds))
        two.script('next', say(laterStatus, laterSeconds))
        const reply = await ask({ key: 'plain', body: { ...streamed, stream } })
        expect(reply.status).toBe(laterStatus === 429 ? 429 : 503)
        expect(reply.headers.get('retry-after')).toBe(told)
        // A client that gets a wait is not told not to retry.
        expect(reply.headers.get('x-should-retry')).toBe(told === null ? 'false' : null)
        expect([one.requests.length, two.requests.length]).toEqual([1, 1])
      },
    )
  }
})

describe('how often', () => {
  test('at most two retries, however many routes are left', async () => {
    const { ask, one, two, money } = gateway()
    one.script({}, { kind: 'status', status: 429 })
    two.script({}, { kind: 'status', status: 500 })
    const reply = await ask({ key: 'plain', body: chatBody({ model: 'gpt-keys' }) })
    expect(reply.status).toBe(502)
    // Both credentials of the first upstream, then the second one.
    expect((await money.attempts(reply.requestId)).map((each) => each.upstream_id)).toEqual([
      'keys',
      'keys',
      'keys-later',
    ])
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  })

  test('without retry budget the client gets the first failure', async () => {
    const { ask, one, two, node, clock } = gateway()
    while (node.routing.budget.take(clock.monotonicMs())) {}
    one.script('next', { kind: 'status', status: 500 })
    const reply = await ask({ key: 'plain', body: chatBody() })
    expect(reply.status).toBe(502)
    expect(two.requests).toHaveLength(0)
    const metrics = await ask({ path: '/metrics' })
    expect(metrics.text).toMatch(/tollgate_retries_denied_total [1-9]/)
  })
})

describe('a conversation', () => {
  const body = (name: string) => chatBody({ model: 'gpt-even', prompt_cache_key: name })

  /** The upstream that a request of this conversation reached. */
  async function reached(name: string): Promise<'one' | 'two'> {
    const { ask, one } = gateway()
    const before = one.requests.length
    expect((await ask({ key: 'plain', body: body(name) })).status).toBe(200)
    return one.requests.length > before ? 'one' : 'two'
  }

  test('stays at one upstream; others are spread', async () => {
    const firsts = new Set<string>()
    for (let each = 0; each < 12; each += 1) {
      const first = await reached(`conversation ${each}`)
      firsts.add(first)
      for (let round = 0; round < 3; round += 1) {
        expect(await reached(`conversation ${each}`)).toBe(first)
      }
    }
    expect(firsts).toEqual(new Set(['one', 'two']))
  })

  test('moves at once when its upstream fails, and stays where it was answered', async () => {
    const { ask, one, two, money } = gateway()
    const first = await reached('moving')
    const [here, there] = first === 'one' ? [one, two] : [two, one]
    here.script('next', { kind: 'status', status: 500 })
    const moved = await ask({ key: 'plain', body: body('moving') })
    expect(moved.status).toBe(200)
    expect((await money.attempts(moved.requestId))[0]?.note).toContain('sticky')
    const before = there.requests.length
    for (let round = 0; round < 4; round += 1) await reached('moving')
    expect(there.requests).toHaveLength(before + 4)
  })
})
