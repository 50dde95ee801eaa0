import { describe, expect, test } from 'bun:test'
import { type ProtocolName, protocolNames } from '../../../src/core/neutral/protocol-name.ts'
import type { ReplyTraits } from '../../../src/protocols/reply-traits.ts'
import { bearer, joinUrl, type Vendor } from '../../../src/vendors/vendor.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import type { Behaviour } from '../../support/fake-upstream/behaviour.ts'
import { viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { overEach } from '../../support/protocols/over-each.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import { dig, greeting, greetingText } from '../../support/protocols/test-protocol.ts'
import { allProtocols, type Pair, testProtocols } from '../../support/protocols/test-protocols.ts'
import { soldBy } from './sold-by.ts'

/*
 * A vendor whose reports have nothing in common with its protocols, and whose streams end in its own way: other names,
 * in another place, cached tokens beside the input, reasoning beside the output, usage after the terminator, no finish.
 * Its traits declare all of this, and every reply is charged exactly, in each pair of protocols.
 */

const replies: ReplyTraits = {
  usage: {
    reportAt: [['billing', 'tokens']],
    input: 'tokens_in',
    output: 'tokens_out',
    cacheRead: ['cached_in'],
    reasoning: ['mused'],
    isCacheBeside: true,
    isReasoningBeside: true,
  },
  stream: { endsAtClose: true, reportsAfterEnd: true },
}

const odd: Vendor = {
  name: 'odd',
  protocols: protocolNames,
  native: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl, protocol, model, operation }) =>
    joinUrl(baseUrl, testProtocols[protocol].upstream.path(model, operation === 'stream')),
  headers: ({ credential }) => bearer(credential),
  modelsUrl: ({ baseUrl }) => joinUrl(baseUrl, '/models'),
  billsAbortedStreams: false,
  traits: () => ({ replies }),
  issuer: () => 'odd/model',
}

const reasoningPaths = [
  ['completion_tokens_details', 'reasoning_tokens'],
  ['output_tokens_details', 'reasoning_tokens'],
  ['output_tokens_details', 'thinking_tokens'],
  ['thoughtsTokenCount'],
]

/** The same figures as this vendor reports them. */
function oddReport(report: JsonObject): JsonObject {
  const mused = Number(
    reasoningPaths.map((path) => dig(report, ...path)).find((count) => count !== undefined) ?? 0,
  )
  const total = report['completion_tokens'] ?? report['output_tokens']
  const out = total === undefined ? Number(report['candidatesTokenCount']) : Number(total) - mused
  return { tokens_in: 600, cached_in: 400, tokens_out: out, mused }
}

/** The same JSON with this vendor's reports in place of the protocol's. */
function withOdd(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOdd)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] =>
    (name === 'usage' || name === 'usageMetadata') && isObject(member)
      ? ['billing', { tokens: oddReport(member) }]
      : [name, withOdd(member)],
  )
  return Object.fromEntries(members)
}

type Edit = (event: JsonObject) => JsonObject | undefined

/** Edits the JSON of each event; undefined removes the event. */
function edited(events: readonly string[], edit: Edit): string[] {
  return events.flatMap((event) => {
    const data = /^data: (\{.*\})\r?$/m.exec(event)?.[1]
    const value = parseJson(data ?? '')
    if (data === undefined || !isObject(value)) return [event]
    const changed = edit(value)
    return changed ? [event.replace(data, () => JSON.stringify(changed))] : []
  })
}

const done = 'data: [DONE]\n\n'

/** The streams without their ends. The responses protocol has no stream without its last event. */
const unfinished: Readonly<Partial<Record<ProtocolName, (events: readonly string[]) => string[]>>> =
  {
    'chat-completions': (events) =>
      edited(
        events.filter((event) => event !== done),
        (chunk) => (dig(chunk, 'choices', 0, 'finish_reason') ? undefined : chunk),
      ),
    messages: (events) =>
      edited(events, (event) => (event['type'] === 'message_stop' ? undefined : event)),
    'generate-content': (events) =>
      edited(events, (chunk) => ({
        ...chunk,
        candidates: [{ index: 0, content: dig(chunk, 'candidates', 0, 'content') }],
      })),
  }

const charged = {
  usage_source: 'upstream',
  flags: '',
  input_tokens: 600,
  cache_read_tokens: 400,
  output_tokens: 200,
  reasoning_tokens: 50,
  // 600 at 2.5, 400 at 1.25 and 200 at 10 US$ for a million.
  cost_nano: 4_000_000n,
}

describe('a vendor with reports and ends of its own', () => {
  const gateway = withGateway({ extend: soldBy(odd) })

  async function askPair({ from, to }: Pair, behaviour: Behaviour) {
    const { ask, one } = gateway()
    const isStream = behaviour.kind === 'events'
    const model = viaModel(to.name)
    one.script({ path: to.upstream.path(model, isStream).replace(/\?.*/, '') }, behaviour)
    const path = from.client.path(model, isStream)
    return ask({ key: 'any', path, body: from.client.body(model, isStream) })
  }
  const oddEvents = ({ to }: Pair) =>
    edited(to.upstream.events(greeting), (event) => {
      const value = withOdd(event)
      return isObject(value) ? value : event
    })

  test.each(allProtocols)('$name: a whole reply', (from) =>
    overEach(from, async (pair) => {
      const body = JSON.stringify(withOdd(pair.to.upstream.reply(greeting)))
      const reply = await askPair(pair, { kind: 'reply', body })
      expect(reply.status).toBe(200)
      expect(await gateway().money.entry(reply.requestId)).toMatchObject(charged)
    }),
  )

  test.each(allProtocols)('$name: a stream', (from) =>
    overEach(from, async (pair) => {
      const reply = await askPair(pair, { kind: 'events', events: oddEvents(pair), end: 'clean' })
      expect(await gateway().money.entry(reply.requestId)).toMatchObject(charged)
      const events = readEvents(reply.text)
      expect(from.client.streamedText(events)).toBe(greetingText)
      expect(from.client.countEnds(events)).toBe(1)
    }),
  )

  test.each(allProtocols)('$name: a stream without a finish', (from) =>
    overEach(from, async (pair) => {
      const cut = unfinished[pair.to.name]
      if (!cut) return
      const events = cut(oddEvents(pair))
      const reply = await askPair(pair, { kind: 'events', events, end: 'clean' })
      expect(await gateway().money.entry(reply.requestId)).toMatchObject(charged)
      const seen = readEvents(reply.text)
      expect(from.client.streamedText(seen)).toBe(greetingText)
      expect(from.client.streamedFault(seen)).toBeUndefined()
      // In generate-content only the finish reason marks the end, and events pass unchanged.
      const isMarked = from !== pair.to || from.name !== 'generate-content'
      if (isMarked) expect(from.client.countEnds(seen)).toBe(1)
    }),
  )

  test.each(allProtocols)('$name: a stream without a finish whose connection breaks', (from) =>
    overEach(from, async (pair) => {
      const cut = unfinished[pair.to.name]
      if (!cut) return
      const events = cut(oddEvents(pair))
      const reply = await askPair(pair, { kind: 'events', events, end: 'cut' })
      expect(from.client.streamedFault(readEvents(reply.text))).toBeDefined()
      expect(await gateway().money.usageRow(reply.requestId)).toMatchObject({ status: 502 })
    }),
  )

  for (const end of ['clean', 'stall'] as const) {
    test.each(allProtocols)(`$name: usage after the terminator, then ${end}`, async (from) => {
      const pair = { from, to: testProtocols['chat-completions'], pair: '' }
      const events = oddEvents(pair)
      const isReport = (event: string) => event.includes('"billing"')
      const late = [...events.filter((event) => !isReport(event)), ...events.filter(isReport)]
      expect(late.at(-2)).toBe(done)
      const reply = await askPair(pair, { kind: 'events', events: late, end })
      expect(await gateway().money.entry(reply.requestId)).toMatchObject(charged)
      const seen = readEvents(reply.text)
      expect(from.client.streamedText(seen)).toBe(greetingText)
      expect(from.client.countEnds(seen)).toBe(1)
      if (from === pair.to) expect(reply.text.trimEnd()).toEndWith('data: [DONE]')
    })
  }
})
