import { describe, expect, test } from 'bun:test'
import { parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import {
  backedModel,
  backups,
  credentials,
  viaModel,
} from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { withoutStale } from '../../support/gateway/without-stale.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  greeting,
  greetingText,
  prompt,
  type TestProtocol,
} from '../../support/protocols/test-protocol.ts'
import { allPairs, type Pair, testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const broken: Behaviour = { kind: 'status', status: 500 }

function question({ from, to }: Pair, isStream: boolean) {
  const model = backedModel(to.name)
  const path = from.client.path(model, isStream)
  return { key: 'backed', path, body: from.client.body(model, isStream) } as const
}

function answerOf({ upstream }: TestProtocol, isStream: boolean): Behaviour {
  return isStream
    ? { kind: 'events', events: upstream.events(greeting), end: 'clean' }
    : { kind: 'reply', body: JSON.stringify(upstream.reply(greeting)) }
}

function backupOf({ to }: Pair): TestProtocol {
  return testProtocols[backups[to.name]]
}

/** Both got the request in their own protocol, and only the second is charged. */
async function expectSecond(pair: Pair, requestId: string, isStream: boolean, status: number) {
  const { one, two, money } = gateway()
  const { to } = pair
  const second = backupOf(pair)
  const attempts = await money.attempts(requestId)
  expect(one.requests).toHaveLength(attempts.length - 1)
  expect(two.requests).toHaveLength(1)
  expect(one.requests[0]?.path).toBe(to.upstream.path(backedModel(to.name), isStream))
  expect(one.requests[0]?.headers).toMatchObject(to.upstream.headers(credentials.one))
  expect(two.requests[0]?.path).toBe(second.upstream.path(viaModel(second.name), isStream))
  expect(two.requests[0]?.headers).toMatchObject(second.upstream.headers(credentials.two))
  expect(second.upstream.promptOf(parseJson(two.requests[0]?.body ?? ''))).toBe(prompt)
  expect(withoutStale(attempts)).toMatchObject([
    { upstream_id: `first-${to.name}`, status },
    { upstream_id: `second-${to.name}`, status: 200, reason: null },
  ])
  expect(await money.usageRow(requestId)).toMatchObject({
    status: 200,
    protocol: pair.from.name,
    upstream_id: `second-${to.name}`,
    cost_nano: 4_000_000n,
  })
  expect((await money.entry(requestId)).cost_nano).toBe(4_000_000n)
}

describe('the second upstream, of another protocol, answers', () => {
  for (const isStream of [false, true]) {
    test.each(allPairs)(
      `$pair fails, asked for ${isStream ? 'a stream' : 'a whole'}`,
      async (pair) => {
        const { ask, one, two } = gateway()
        one.script('next', broken)
        two.script('next', answerOf(backupOf(pair), isStream))
        const reply = await ask(question(pair, isStream))
        expect(reply.status).toBe(200)
        const { client } = pair.from
        const events = readEvents(reply.text)
        const text = isStream ? client.streamedText(events) : client.textOf(reply.json)
        expect(text).toBe(greetingText)
        if (isStream) expect(client.countEnds(events)).toBe(1)
        await expectSecond(pair, reply.requestId, isStream, 502)
      },
    )
  }

  const early: { name: string; status: number; behaviour: (to: TestProtocol) => Behaviour }[] = [
    { name: '429', status: 429, behaviour: () => ({ kind: 'status', status: 429 }) },
    { name: '529', status: 529, behaviour: () => ({ kind: 'status', status: 529 }) },
    { name: '401', status: 502, behaviour: () => ({ kind: 'status', status: 401 }) },
    { name: 'a connection reset', status: 502, behaviour: () => ({ kind: 'reset' }) },
    {
      name: 'an HTML page',
      status: 502,
      behaviour: () => ({ kind: 'reply', body: '<html></html>' }),
    },
    {
      name: 'an error like 429 as its first event',
      status: 429,
      behaviour: (to) => ({
        kind: 'events',
        events: [to.upstream.faultEvent(429, 'No.')],
        end: 'clean',
      }),
    },
    {
      name: 'an error like 529 as its first event',
      status: 0,
      behaviour: (to) => ({
        kind: 'events',
        events: [to.upstream.faultEvent(529, 'No.')],
        end: 'clean',
      }),
    },
    {
      name: 'a stream that is cut before any content',
      status: 502,
      behaviour: () => ({ kind: 'events', events: [': hello\n\n'], end: 'cut' }),
    },
  ]
  for (const { name, status, behaviour } of early) {
    // Each client's protocol once, over an upstream of the next one.
    const pairs = allPairs.filter(({ from, to }) => backups[from.name] === to.name)
    test.each(pairs)(`$pair: after ${name}`, async (pair) => {
      const { ask, one, two } = gateway()
      const played = behaviour(pair.to)
      one.script(played.kind === 'reset' ? {} : 'next', played)
      two.script('next', answerOf(backupOf(pair), true))
      const reply = await ask(question(pair, true))
      expect(reply.status).toBe(200)
      const events = readEvents(reply.text)
      expect(pair.from.client.streamedText(events)).toBe(greetingText)
      const recorded = status === 0 ? expect.any(Number) : status
      await expectSecond(pair, reply.requestId, true, recorded)
    })
  }
})

describe('the second upstream gets no request', () => {
  test.each(allPairs)('$pair: the request itself is refused', async (pair) => {
    const { ask, one, two, money } = gateway()
    one.script('next', { kind: 'status', status: 400, message: 'roles must alternate' })
    const reply = await ask(question(pair, false))
    expect(reply.status).toBe(400)
    const told = pair.from.client.readFault(reply.json)
    expect(told).toMatchObject({ message: 'roles must alternate', reason: 'upstream_rejected' })
    expect(two.requests).toHaveLength(0)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  })

  test.each(allPairs)('$pair: content was already sent', async (pair) => {
    const { ask, one, two } = gateway()
    const { tailLength } = pair.to.upstream
    const events = pair.to.upstream.events(greeting).slice(0, -tailLength)
    one.script('next', { kind: 'events', events, end: 'clean' })
    const reply = await ask(question(pair, true))
    expect(pair.from.client.streamedFault(readEvents(reply.text))).toBeDefined()
    expect(two.requests).toHaveLength(0)
  })
})

describe('both fail', () => {
  test.each(allPairs)('$pair: the client gets the second reason, once', async (pair) => {
    const { ask, one, two, money } = gateway()
    one.script('next', broken)
    two.script('next', { kind: 'status', status: 503, message: 'Busy here.' })
    const reply = await ask(question(pair, true))
    expect(reply.status).toBe(503)
    expect(reply.headers.get('x-should-retry')).toBe('false')
    const told = pair.from.client.readFault(reply.json)
    expect(told).toMatchObject({ message: 'Busy here.', reason: 'upstream_error' })
    expect(await money.attempts(reply.requestId)).toHaveLength(2)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(0n)
  })
})
