import { afterEach, describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { startGateway, type TestGateway } from '../../support/gateway/start-gateway.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { dig } from '../../support/protocols/test-protocol.ts'
import { ask, featureOptions, response, text, tokensNano, usage } from './feature-helpers.ts'

const gateway = withGateway(featureOptions)

interface Case {
  readonly protocol: ProtocolName
  readonly feature: string
  readonly extra: JsonObject
  readonly reply: JsonObject
  readonly events: readonly JsonObject[]
  readonly nano: bigint
}

const chatUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const metadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }
const chunk = (extra: JsonObject) => ({ id: 'c', object: 'chat.completion.chunk', ...extra })
const search = (id: string) => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search', query: id },
})
const searched = { ...usage, server_tool_use: { web_search_requests: 3 } }
const grounded = (queries: readonly string[]) => ({
  modelVersion: 'gemini-3-pro',
  usageMetadata: metadata,
  candidates: [
    {
      index: 0,
      finishReason: 'STOP',
      content: { role: 'model', parts: [{ text: 'Hi' }] },
      groundingMetadata: { webSearchQueries: queries },
    },
  ],
})

const cases: readonly Case[] = [
  {
    protocol: 'chat-completions',
    feature: 'a priority tier that served',
    extra: { service_tier: 'priority' },
    reply: {
      id: 'c',
      object: 'chat.completion',
      service_tier: 'priority',
      usage: chatUsage,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    },
    events: [
      chunk({
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }],
        service_tier: 'priority',
      }),
      chunk({
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        service_tier: 'priority',
      }),
      chunk({ choices: [], usage: chatUsage, service_tier: 'priority' }),
    ],
    nano: 2n * tokensNano,
  },
  {
    protocol: 'chat-completions',
    feature: 'a priority tier that did not serve',
    extra: { service_tier: 'priority' },
    reply: {
      id: 'c',
      object: 'chat.completion',
      service_tier: 'default',
      usage: chatUsage,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    },
    events: [
      chunk({
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }],
        service_tier: 'default',
      }),
      chunk({
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        service_tier: 'default',
        usage: chatUsage,
      }),
    ],
    nano: tokensNano,
  },
  {
    protocol: 'responses',
    feature: 'two searches',
    extra: { tools: [{ type: 'web_search' }] },
    reply: response({ output: [search('ws_1'), search('ws_2'), text] }),
    events: [
      {
        type: 'response.created',
        response: response({ status: 'in_progress', output: [], usage: null }),
      },
      { type: 'response.output_item.done', output_index: 0, item: search('ws_1') },
      { type: 'response.output_item.done', output_index: 1, item: search('ws_2') },
      { type: 'response.output_item.done', output_index: 2, item: text },
      {
        type: 'response.completed',
        response: response({ output: [search('ws_1'), search('ws_2'), text] }),
      },
    ],
    nano: tokensNano + 20_000_000n,
  },
  {
    protocol: 'messages',
    feature: 'three searches',
    extra: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    reply: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: searched,
    },
    events: [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'x',
          content: [],
          usage: { ...usage, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: searched },
      { type: 'message_stop' },
    ],
    nano: tokensNano + 30_000_000n,
  },
  {
    protocol: 'chat-completions',
    feature: 'as many sources as the caller allows',
    extra: { search_parameters: { mode: 'on', max_search_results: 50 } },
    reply: sourced(50),
    events: [chunk(sourcedChunk(50))],
    nano: tokensNano + 500_000_000n,
  },
  {
    protocol: 'chat-completions',
    feature: 'as many sources as the vendor takes by itself',
    extra: { search_parameters: { mode: 'auto' } },
    reply: sourced(20),
    events: [chunk(sourcedChunk(20))],
    nano: tokensNano + 200_000_000n,
  },
  {
    protocol: 'chat-completions',
    feature: 'a search that is switched off',
    extra: { search_parameters: { mode: 'off' } },
    reply: sourced(undefined),
    events: [chunk(sourcedChunk(undefined))],
    nano: tokensNano,
  },
  {
    protocol: 'generate-content',
    feature: 'two queries',
    extra: { tools: [{ googleSearch: {} }] },
    reply: grounded(['a', 'b']),
    events: [grounded(['a', 'b'])],
    nano: tokensNano + 20_000_000n,
  },
]

function sourced(num_sources_used: number | undefined): JsonObject {
  return {
    id: 'c',
    object: 'chat.completion',
    usage: { ...chatUsage, ...(num_sources_used === undefined ? {} : { num_sources_used }) },
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  }
}

function sourcedChunk(sources: number | undefined): JsonObject {
  const { usage: told } = sourced(sources)
  const delta = { role: 'assistant', content: 'Hi' }
  return { choices: [{ index: 0, delta, finish_reason: 'stop' }], usage: told }
}

function frames({ protocol, events }: Case): string[] {
  const named = protocol === 'responses' || protocol === 'messages'
  const written = events.map(
    (event) =>
      `${named ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
  return protocol === 'chat-completions' ? [...written, 'data: [DONE]\n\n'] : written
}

describe('the cost of a feature', () => {
  test.each(cases)('$protocol: $feature, not streamed', async (each) => {
    const { one, money } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(each.reply) })
    const reply = await ask(gateway(), {
      from: each.protocol,
      to: each.protocol,
      extra: each.extra,
    })
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry.cost_nano).toBe(each.nano)
    expect(entry.flags).not.toContain('overage')
  })

  test.each(cases)('$protocol: $feature, in a stream', async (each) => {
    const { one, money } = gateway()
    one.script('next', { kind: 'events', events: frames(each), end: 'clean' })
    const reply = await ask(gateway(), {
      from: each.protocol,
      to: each.protocol,
      extra: each.extra,
      isStream: true,
    })
    expect(reply.status).toBe(200)
    const entry = await money.entry(reply.requestId)
    expect(entry.cost_nano).toBe(each.nano)
    expect(entry.flags).not.toContain('overage')
  })

  test.each([false, true])(
    'searches behind another protocol are counted, stream %p',
    async (isStream) => {
      const { one, money } = gateway()
      const each = cases[2]
      if (!each) throw new Error('the case is missing')
      one.script(
        'next',
        isStream
          ? { kind: 'events', events: frames(each), end: 'clean' }
          : { kind: 'reply', body: JSON.stringify(each.reply) },
      )
      const extra = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
      const reply = await ask(gateway(), { from: 'messages', to: 'responses', extra, isStream })
      expect(reply.status).toBe(200)
      expect(one.requests.at(-1)?.body).toContain('web_search')
      const entry = await money.entry(reply.requestId)
      expect(entry.cost_nano).toBe(each.nano)
      expect(parseJson(entry.features ?? '')).toEqual({ webSearch: 2 })
    },
  )

  test('an ordinary request has no features in its entry', async () => {
    const reply = await ask(gateway(), { from: 'responses', to: 'responses', extra: {} })
    expect((await gateway().money.entry(reply.requestId)).features).toBeNull()
  })

  test('the hold covers the calls, and less money than that is refused', async () => {
    const each = cases[2]
    if (!each) throw new Error('the case is missing')
    // Searches may fill the window of the model, and ten of them cost 100 million nano.
    const extra = { ...each.extra, max_output_tokens: 100 }
    const refused = await ask(gateway(), {
      from: 'responses',
      to: 'responses',
      extra,
      key: 'tightAny',
    })
    expect([refused.status, dig(refused.json, 'error', 'code')]).toEqual([
      403,
      'insufficient_credit',
    ])
    expect(gateway().one.requests).toEqual([])
    gateway().one.script('next', {
      kind: 'reply',
      body: JSON.stringify(response({ output: [search('ws_1'), text] })),
    })
    expect(
      (await ask(gateway(), { from: 'responses', to: 'responses', extra, key: 'any' })).status,
    ).toBe(200)
  })
})

/** These protocols have no field to limit searches, so the vendor may report any number. */
const lavish = 1_000
const lavishRows = [
  {
    protocol: 'chat-completions',
    extra: { web_search_options: {} },
    reply: { ...sourced(lavish), model: 'x' },
  },
  {
    protocol: 'chat-completions',
    extra: { tools: [{ type: 'web_search' }] },
    reply: { ...sourced(lavish), model: 'x' },
  },
  {
    protocol: 'generate-content',
    extra: { tools: [{ googleSearch: {} }, { urlContext: {} }, { codeExecution: {} }] },
    reply: grounded(Array.from({ length: lavish }, (_, index) => String(index))),
  },
] as const

const gateways: TestGateway[] = []
afterEach(async () => {
  for (const each of gateways.splice(0)) await each.stop()
})

describe('more searches than the hold covers', () => {
  test.each(lavishRows)('$protocol, $extra: no balance becomes negative', async (each) => {
    const own = await startGateway(featureOptions)
    gateways.push(own)
    const { one, money, node, engine } = own
    one.script({}, { kind: 'reply', body: JSON.stringify(each.reply) })
    const replies = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { protocol, extra } = each
        const reply = await ask(own, { from: protocol, to: protocol, extra })
        expect(await money.overdrawn()).toEqual([])
        return reply
      }),
    )
    await node.ledger.shipped()
    expect(await money.overdrawn()).toEqual([])
    expect(await money.imbalances()).toEqual([])
    const answered = replies.filter(({ status }) => status === 200)
    expect(answered.length).toBeGreaterThan(0)
    for (const { requestId } of answered) {
      const entry = await money.entry(requestId)
      const uncovered = await engine.db
        .selectFrom('uncovered')
        .select('uncovered_nano')
        .where('request_id', '=', requestId)
        .executeTakeFirst()
      expect(entry.cost_nano + (uncovered?.uncovered_nano ?? 0n)).toBe(
        tokensNano + BigInt(lavish) * 10_000_000n,
      )
    }
  })
})
