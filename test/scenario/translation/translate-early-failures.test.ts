import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { eventually } from '../../support/eventually.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import type { Reply } from '../../support/gateway/ask.ts'
import { credentials, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  greeting,
  greetingText,
  type ScriptedReply,
} from '../../support/protocols/test-protocol.ts'
import {
  allPairs,
  allProtocols,
  type Pair,
  testProtocols,
} from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const quoting = `broken; key ${credentials.one} and sk-another-key-0123456789`
const words: Record<number, Record<ProtocolName, string>> = {
  400: {
    'chat-completions': 'invalid_request_error',
    responses: 'invalid_request_error',
    messages: 'invalid_request_error',
    'generate-content': 'INVALID_ARGUMENT',
  },
  429: {
    'chat-completions': 'requests',
    responses: 'requests',
    messages: 'rate_limit_error',
    'generate-content': 'RESOURCE_EXHAUSTED',
  },
  502: {
    'chat-completions': 'server_error',
    responses: 'server_error',
    messages: 'api_error',
    'generate-content': 'INTERNAL',
  },
  503: {
    'chat-completions': 'server_error',
    responses: 'server_error',
    messages: 'overloaded_error',
    'generate-content': 'UNAVAILABLE',
  },
  504: {
    'chat-completions': 'server_error',
    responses: 'server_error',
    messages: 'timeout_error',
    'generate-content': 'DEADLINE_EXCEEDED',
  },
}

function askPair({ from, to }: Pair, isStream: boolean, behaviour: Behaviour): Promise<Reply> {
  const { ask, one } = gateway()
  const model = viaModel(to.name)
  one.script({ path: to.upstream.path(model, isStream).replace(/\?.*/, '') }, behaviour)
  const path = from.client.path(model, isStream)
  return ask({ key: 'any', path, body: from.client.body(model, isStream) })
}

/** A plain HTTP error in the client's format, one row, and no charge. */
async function expectFailure(reply: Reply, { from }: Pair, status: number, reason: string) {
  const { money } = gateway()
  expect(reply.status).toBe(status)
  expect(reply.headers.get('content-type')).toBe('application/json')
  expect(reply.text).not.toContain('sk-')
  const told = from.client.readFault(reply.json)
  expect(told).toMatchObject({ reason, message: expect.any(String) })
  const isForeign = from.name === 'chat-completions' || from.name === 'responses'
  if (!isForeign) expect(told.word).toBe(words[status]?.[from.name])
  expect(await money.usageRow(reply.requestId)).toMatchObject({ status, reason, cost_nano: 0n })
  expect(await money.entry(reply.requestId)).toMatchObject({ cost_nano: 0n, usage_source: 'none' })
}

describe('a stream that fails before any content is a plain error', () => {
  const errors = [
    { status: 400, answered: 400, reason: 'upstream_rejected' },
    { status: 429, answered: 429, reason: 'upstream_rejected' },
    { status: 500, answered: 502, reason: 'upstream_error' },
    { status: 529, answered: 503, reason: 'upstream_error' },
  ]
  for (const { status, answered, reason } of errors) {
    test.each(allProtocols)(`$name: its first event is an error like ${status}`, (from) =>
      overEach(from, async (pair) => {
        const events = [pair.to.upstream.faultEvent(status, quoting)]
        const reply = await askPair(pair, true, { kind: 'events', events, end: 'clean' })
        await expectFailure(reply, pair, answered, reason)
        expect(reply.text).toContain('broken; key [credential]')
      }),
    )
  }

  test.each(allPairs.filter(({ from, to }) => from !== to))(
    '$pair: the error type is one of the client’s protocol',
    async (pair) => {
      for (const { status, answered } of errors) {
        const isOpenai = 'code' in pair.to.client.readFault({})
        // These two protocols share their types, and the upstream's own stay.
        if (isOpenai && 'code' in pair.from.client.readFault({})) return
        const events = [pair.to.upstream.faultEvent(status, 'No.')]
        const reply = await askPair(pair, true, { kind: 'events', events, end: 'clean' })
        const { word } = pair.from.client.readFault(reply.json)
        expect(word).toBe(words[answered]?.[pair.from.name])
      }
    },
  )

  const opening: ScriptedReply = { pieces: [] }
  const beginnings: { name: string; end: 'clean' | 'cut' }[] = [
    { name: 'the stream ends', end: 'clean' },
    { name: 'the stream is cut', end: 'cut' },
  ]
  for (const { name, end } of beginnings) {
    test.each(allProtocols)(`$name: ${name} before it has begun`, (from) =>
      overEach(from, async (pair) => {
        const events = pair.to.name === 'generate-content' ? [''] : [firstEvent(pair)]
        const reply = await askPair(pair, true, { kind: 'events', events, end })
        await expectFailure(reply, pair, 502, 'upstream_error')
      }),
    )
  }

  test.each(allProtocols)('$name: an error right after the beginning', (from) =>
    overEach(from, async (pair) => {
      if (pair.to.name === 'generate-content') return
      const events = [firstEvent(pair), pair.to.upstream.faultEvent(529, quoting)]
      const reply = await askPair(pair, true, { kind: 'events', events, end: 'clean' })
      await expectFailure(reply, pair, 503, 'upstream_error')
    }),
  )

  function firstEvent({ to }: Pair): string {
    return to.upstream.events(opening)[0] ?? ''
  }

  test.each(allProtocols)('$name: it is not a stream', (from) =>
    overEach(from, async (pair) => {
      const body = JSON.stringify(pair.to.upstream.reply(greeting))
      const reply = await askPair(pair, true, { kind: 'reply', body })
      await expectFailure(reply, pair, 502, 'upstream_error')
    }),
  )

  test.each(allProtocols)('$name: the upstream does not answer', async (from) => {
    const { one, clock } = gateway()
    const asked = allPairs
      .filter((pair) => pair.from === from)
      .map(async (pair) => {
        const reply = await askPair(pair, true, { kind: 'stall-before-headers' })
        await expectFailure(reply, pair, 504, 'upstream_timeout')
        expect(from.client.readFault(reply.json).word).toBe(words[504]?.[from.name])
      })
    await one.whenRequested(4)
    clock.passTime(61_000)
    await Promise.all(asked)
    await Promise.all(one.requests.map((request) => request.whenAborted))
  })
})

describe('the client disconnects before there is an answer', () => {
  test.each(allProtocols)(
    '$name: the upstream request is stopped in the end, and the input is charged',
    async (from) => {
      const { open, one, money, node, clock } = gateway()
      await overEach(from, async ({ to }) => {
        const model = viaModel(to.name)
        const path = from.client.path(model, false)
        const body = from.client.body(model, false)
        one.script({ path: to.upstream.path(model, false) }, { kind: 'stall-before-headers' })
        const leaving = new AbortController()
        const headers = { 'x-client-request-id': `leaving-${from.name}-${to.name}` }
        const asked = open({ key: 'any', path, body, headers, signal: leaving.signal })
        const isAsked = () =>
          one.requests.find((each) => each.path === to.upstream.path(model, false))
        const request = await eventually(`a request to ${to.name}`, isAsked)
        leaving.abort()
        expect(await asked.catch(() => undefined)).toBeUndefined()
        // The gateway waits for the answer, because it is billed, but not for ever.
        await eventually('it is noticed', () => node.disconnectedReads() === node.ledger.openHolds)
        clock.passTime(31_000)
        await request.whenAborted
      })
      await eventually('four rows', async () => (await leftRows(from.name)).length === 4)
      for (const row of await leftRows(from.name)) {
        expect(row).toMatchObject({ status: 499, reason: 'client_gone', protocol: from.name })
        const entry = await money.entry(row.request_id)
        expect(entry.usage_source).toBe('estimated')
        // Nothing was delivered; a reasoning model may have reasoned all the time.
        expect(entry.output_tokens).toBe(entry.reasoning_tokens)
      }
    },
  )

  function leftRows(from: string) {
    const rows = gateway().engine.db.selectFrom('usage_row').selectAll()
    return rows.where('client_request_id', 'like', `leaving-${from}-%`).execute()
  }
})

describe('an invalid reply that is not streamed', () => {
  const rows: { name: string; body: string }[] = [
    { name: 'an HTML page', body: '<html>Gateway time-out</html>' },
    { name: 'nothing', body: '' },
    { name: 'half of a JSON object', body: '{"id":"x","choices":[{"mess' },
    { name: 'a list', body: '[]' },
    { name: 'an empty object', body: '{}' },
    { name: 'null', body: 'null' },
  ]
  for (const { name, body } of rows) {
    test.each(allProtocols)(`$name: ${name}`, (from) =>
      overEach(from, async (pair) => {
        const reply = await askPair(pair, false, { kind: 'reply', body })
        await expectFailure(reply, pair, 502, 'upstream_error')
      }),
    )
  }

  test.each(allProtocols)('$name: an error with the status of an answer', (from) =>
    overEach(from, async (pair) => {
      const event = readEvents(pair.to.upstream.faultEvent(529, quoting))[0]
      const body = JSON.stringify(event?.data)
      const reply = await askPair(pair, false, { kind: 'reply', body })
      await expectFailure(reply, pair, 503, 'upstream_error')
      expect(reply.text).toContain('broken; key [credential]')
    }),
  )

  test.each(allProtocols)('$name: an answer of another protocol', (from) =>
    overEach(from, async (pair) => {
      const other = Object.values(testProtocols).find((each) => each !== pair.to && each !== from)
      const body = JSON.stringify(other?.upstream.reply(greeting))
      const reply = await askPair(pair, false, { kind: 'reply', body })
      await expectFailure(reply, pair, 502, 'upstream_error')
      expect(reply.text).not.toContain(greetingText)
    }),
  )
})

describe('a stream of another protocol', () => {
  test.each(allProtocols)('$name: never ends cleanly', (from) =>
    overEach(from, async (pair) => {
      const other = Object.values(testProtocols).find((each) => each !== pair.to && each !== from)
      const events = other?.upstream.events(greeting) ?? []
      const reply = await askPair(pair, true, { kind: 'events', events, end: 'clean' })
      await expectFailure(reply, pair, 502, 'upstream_error')
    }),
  )
})

describe('an answer without usage is charged by an estimate, which is marked', () => {
  for (const isStream of [false, true]) {
    test.each(allProtocols)(`$name: ${isStream ? 'a stream' : 'not streamed'}`, (from) =>
      overEach(from, async (pair) => {
        const { money } = gateway()
        const said = { ...greeting, hasUsage: false }
        const { upstream } = pair.to
        const reply = await askPair(
          pair,
          isStream,
          isStream
            ? { kind: 'events', events: upstream.events(said), end: 'clean' }
            : { kind: 'reply', body: JSON.stringify(upstream.reply(said)) },
        )
        expect(reply.status).toBe(200)
        const entry = await money.entry(reply.requestId)
        expect(entry).toMatchObject({ usage_source: 'estimated', flags: 'estimated' })
        expect(entry.input_tokens).toBeGreaterThan(3)
        expect(entry.output_tokens).toBeGreaterThan(3)
        expect(entry.output_tokens).toBeLessThan(30)
        expect(await money.usageRow(reply.requestId)).toMatchObject({
          status: 200,
          reason: null,
          cost_nano: entry.cost_nano,
        })
      }),
    )
  }
})
