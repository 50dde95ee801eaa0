import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../src/core/protocol-name.ts'
import { type JsonObject, parseJson } from '../../src/wire/json.ts'
import { eventually } from '../support/eventually.ts'
import { type KeyName, viaModel } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import { dig } from '../support/tongues/tongue.ts'
import { allTongues, tongues } from '../support/tongues/tongues.ts'

/** Prices of features that are easy to tell apart; a model has what its id is known for, and these over it. */
const features = { webSearch: 10_000_000n, priorityTier: 2_000_000n, audioInput: null }
const gateway = withGateway({
  extend: (provision) => ({
    ...provision,
    groups: provision.groups.map((group) =>
      group.id === 'strict'
        ? { ...group, isStrict: false, unpricedFeatures: 'token_price', sharedObjects: 'allow' }
        : group,
    ),
    models: provision.models.map((model) => ({
      ...model,
      price: model.price && { ...model.price, features },
    })),
  }),
})

/** 100 tokens at 2.5 and 20 at 10 US$ for a million. */
const tokensNano = 450_000n

interface Case {
  readonly protocol: ProtocolName
  readonly feature: string
  readonly extra: JsonObject
  readonly reply: JsonObject
  readonly events: readonly JsonObject[]
  readonly nano: bigint
}

const chatUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const usage = { input_tokens: 100, output_tokens: 20 }
const metadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 }
const chunk = (extra: JsonObject) => ({ id: 'c', object: 'chat.completion.chunk', ...extra })
const search = (id: string) => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search', query: id },
})
const text = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
}
const response = (extra: JsonObject) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'x',
  usage,
  ...extra,
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
    protocol: 'generate-content',
    feature: 'two queries',
    extra: { tools: [{ googleSearch: {} }] },
    reply: grounded(['a', 'b']),
    events: [grounded(['a', 'b'])],
    nano: tokensNano + 20_000_000n,
  },
]

function frames({ protocol, events }: Case): string[] {
  const named = protocol === 'responses' || protocol === 'messages'
  const written = events.map(
    (event) =>
      `${named ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
  )
  return protocol === 'chat-completions' ? [...written, 'data: [DONE]\n\n'] : written
}

interface Asked {
  readonly from: ProtocolName
  readonly to: ProtocolName
  readonly extra: JsonObject
  readonly isStream?: boolean
  readonly key?: KeyName
  readonly headers?: Readonly<Record<string, string>>
}

function ask({ from, to, extra, isStream = false, key = 'any', headers = {} }: Asked) {
  const { client } = tongues[from]
  const body = { ...client.body(viaModel(to), isStream), ...extra }
  return gateway().ask({ key, path: client.path(viaModel(to), isStream), body, headers })
}

describe('what a feature costs', () => {
  test.each(cases)('$protocol: $feature, in a whole answer', async (each) => {
    const { one, money } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(each.reply) })
    const reply = await ask({ from: each.protocol, to: each.protocol, extra: each.extra })
    expect(reply.status).toBe(200)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(each.nano)
  })

  test.each(cases)('$protocol: $feature, in a stream', async (each) => {
    const { one, money } = gateway()
    one.script('next', { kind: 'events', events: frames(each), end: 'clean' })
    const reply = await ask({
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
      if (!each) throw new Error('no case')
      one.script(
        'next',
        isStream
          ? { kind: 'events', events: frames(each), end: 'clean' }
          : { kind: 'reply', body: JSON.stringify(each.reply) },
      )
      const extra = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
      const reply = await ask({ from: 'messages', to: 'responses', extra, isStream })
      expect(reply.status).toBe(200)
      expect(one.requests.at(-1)?.body).toContain('web_search')
      const entry = await money.entry(reply.requestId)
      expect(entry.cost_nano).toBe(each.nano)
      expect(parseJson(entry.features ?? '')).toEqual({ webSearch: 2 })
    },
  )

  test('an ordinary request has no features in its entry', async () => {
    const reply = await ask({ from: 'responses', to: 'responses', extra: {} })
    expect((await gateway().money.entry(reply.requestId)).features).toBeNull()
  })

  test('the hold covers the calls, and less money than that is refused', async () => {
    const each = cases[2]
    if (!each) throw new Error('no case')
    // 20 million nano would pay for the tokens; ten searches cost 100 million.
    const extra = { ...each.extra, max_output_tokens: 100 }
    const refused = await ask({ from: 'responses', to: 'responses', extra, key: 'tightAny' })
    expect([refused.status, dig(refused.json, 'error', 'code')]).toEqual([
      403,
      'insufficient_credit',
    ])
    expect(gateway().one.requests).toEqual([])
    gateway().one.script('next', {
      kind: 'reply',
      body: JSON.stringify(response({ output: [search('ws_1'), text] })),
    })
    const within = { ...extra, max_tool_calls: 1 }
    expect(
      (await ask({ from: 'responses', to: 'responses', extra: within, key: 'tightAny' })).status,
    ).toBe(200)
  })
})

/** A feature that has no price, the field that asks for it, and what an upstream would be told. */
const unpriced: readonly (readonly [ProtocolName, JsonObject, string, string])[] = [
  ['chat-completions', { service_tier: 'fast' }, 'service_tier', '"fast"'],
  ['chat-completions', { modalities: ['text', 'audio'] }, 'modalities', '"audio"'],
  ['chat-completions', { tools: [{ type: 'brand_new' }] }, 'tools[0]', 'brand_new'],
  ['responses', { service_tier: 'scale' }, 'service_tier', '"scale"'],
  ['responses', { tools: [{ type: 'brand_new' }] }, 'tools[0]', 'brand_new'],
  ['messages', { speed: 'fast' }, 'speed', '"fast"'],
  ['messages', { tools: [{ type: 'advisor_20260301', name: 'a' }] }, 'tools[0]', 'advisor'],
  [
    'generate-content',
    { generationConfig: { responseModalities: ['AUDIO'] } },
    'generationConfig.responseModalities',
    'AUDIO',
  ],
  ['generate-content', { tools: [{ brandNew: {} }] }, 'tools[0].brandNew', 'brandNew'],
]

/** Upstreams that understand the client's own words for a feature. */
function isKin(from: ProtocolName, to: ProtocolName): boolean {
  const kin = ['chat-completions', 'responses']
  return from === to || (kin.includes(from) && kin.includes(to))
}

const named: readonly (readonly [ProtocolName, JsonObject, string])[] = [
  [
    'chat-completions',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    'messages[0].content[0].file.file_id',
  ],
  ['responses', { conversation: 'conv_1' }, 'conversation'],
  ['responses', { prompt: { id: 'pmpt_1' } }, 'prompt.id'],
  [
    'responses',
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'tools[0].vector_store_ids[0]',
  ],
  [
    'responses',
    { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    'tools[0].container',
  ],
  ['messages', { container: 'container_1' }, 'container'],
  [
    'messages',
    {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
      ],
    },
    'messages[0].content[0].source.file_id',
  ],
  ['generate-content', { cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [
    'generate-content',
    { contents: [{ parts: [{ fileData: { mimeType: 'image/png', fileUri: 'files/1' } }] }] },
    'contents[0].parts[0].fileData.fileUri',
  ],
]

/** Every way that a request can go, to every upstream, whole and streamed. */
const ways = allTongues.flatMap(({ name }) =>
  [false, true].map((isStream) => ({ to: name, isStream })),
)

async function expectRefused(asked: Asked, status: number, code: string, param: string) {
  const { money, one } = gateway()
  const before = await money.balance('acme')
  const reply = await ask(asked)
  expect(reply.status).toBe(status)
  expect(reply.text).toContain(code)
  expect(reply.text).toContain(`\\"${param}\\"`)
  expect((await money.usageRow(reply.requestId)).reason).toBe(code)
  expect(one.requests).toEqual([])
  expect(await money.balance('acme')).toBe(before)
  expect(gateway().node.ledger.openHolds).toBe(0)
}

describe('a feature without a price', () => {
  const rows = unpriced.map(([from, extra, param, told]) => ({ from, extra, param, told }))

  test.each(rows)('$from $param: 400 before any money is held', async ({ from, extra, param }) => {
    for (const way of ways) {
      if (!isKin(from, way.to)) continue
      await expectRefused({ from, extra, ...way }, 400, 'feature_not_priced', param)
    }
  })

  test.each(rows)(
    '$from $param: no other upstream is asked for it',
    async ({ from, extra, told }) => {
      for (const way of ways) {
        if (isKin(from, way.to)) continue
        const reply = await ask({ from, extra, ...way })
        expect([200, 400]).toContain(reply.status)
      }
      for (const { body } of gateway().one.requests) expect(body).not.toContain(told)
    },
  )

  test('is charged as tokens where the group says so', async () => {
    const { one, money } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(cases[0]?.reply) })
    const extra = { service_tier: 'fast' }
    const reply = await ask({
      from: 'chat-completions',
      to: 'chat-completions',
      extra,
      key: 'strict',
    })
    expect(reply.status).toBe(200)
    expect((await money.entry(reply.requestId)).cost_nano).toBe(tokensNano)
  })

  test('the explanation says so too', async () => {
    const headers = { 'x-gateway-explain': 'true' }
    const asked = { from: 'messages', to: 'messages', extra: { speed: 'fast' }, headers } as const
    expect((await ask(asked)).text).toContain('feature_not_priced')
  })
})

describe('an object of the upstream account', () => {
  test.each(named.map(([from, extra, param]) => ({ from, extra, param })))(
    '$from $param: 400 on every way',
    async ({ from, extra, param }) => {
      for (const way of ways) {
        await expectRefused({ from, extra, ...way }, 400, 'shared_object_not_allowed', param)
      }
    },
  )

  test('is forwarded where the group says so', async () => {
    for (const [from, extra] of named) {
      const reply = await ask({ from, to: from, extra, key: 'strict' })
      expect([from, reply.status]).toEqual([from, 200])
    }
    expect(gateway().one.requests).toHaveLength(named.length)
  })

  test('is not counted either', async () => {
    const { client } = tongues.messages
    const { max_tokens: _, ...rest } = client.body(viaModel('messages'), false)
    const content = [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]
    const body = { ...rest, messages: [{ role: 'user', content }] }
    const reply = await gateway().ask({ key: 'any', path: '/v1/messages/count_tokens', body })
    expect(reply.status).toBe(400)
    expect(gateway().one.requests).toEqual([])
  })

  test('may be named by the account that made it here, and by no other', async () => {
    const { one } = gateway()
    const call = {
      type: 'code_interpreter_call',
      id: 'ci_1',
      container_id: 'cntr_mine',
      status: 'completed',
    }
    one.script('next', { kind: 'reply', body: JSON.stringify(response({ output: [call, text] })) })
    const tool = (container: unknown) => ({
      tools: [{ type: 'code_interpreter', container }],
      max_output_tokens: 50,
      max_tool_calls: 0,
    })
    const on = { from: 'responses', to: 'responses' } as const
    expect((await ask({ ...on, extra: tool({ type: 'auto' }) })).status).toBe(200)
    expect((await ask({ ...on, extra: tool('cntr_mine') })).status).toBe(200)
    expect((await ask({ ...on, extra: tool('cntr_mine'), key: 'tightAny' })).status).toBe(400)
    expect((await ask({ ...on, extra: tool('cntr_other') })).status).toBe(400)
  })
})

describe('a background response', () => {
  test.each(ways)(
    'to $to, stream $isStream: 400, and no upstream is asked',
    async ({ to, isStream }) => {
      await expectRefused(
        { from: 'responses', to, extra: { background: true }, isStream },
        400,
        'invalid_request',
        'background',
      )
    },
  )

  test('does not harm the upstream for others', async () => {
    for (let count = 0; count < 20; count += 1) {
      await ask({ from: 'responses', to: 'responses', extra: { background: true } })
    }
    expect(gateway().node.openBreakers()).toBe(0)
    const reply = await ask({ from: 'responses', to: 'responses', extra: {} })
    expect(reply.status).toBe(200)
    await eventually('it is settled', () => gateway().node.ledger.openHolds === 0)
  })
})
