import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { repeats } from '../../support/repeats.ts'
import { ask, response, richOptions, text } from './feature-helpers.ts'

/*
 * The gateway tells an upstream that runs hosted tools how many calls it may make. Within that limit a request never
 * costs more than its hold. Limits that the client has set itself are not changed.
 */
const gateway = withGateway(richOptions)

const windowTokens = 128_000
const outputTokens = 10
const usage = { input_tokens: windowTokens, output_tokens: outputTokens }

/** Every kind of hosted call that the two protocols with a limit can report. */
const itemTypes = [
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
] as const
const toolTypes: Readonly<Record<(typeof itemTypes)[number], JsonObject>> = {
  web_search_call: { type: 'web_search' },
  file_search_call: { type: 'file_search', vector_store_ids: [] },
  code_interpreter_call: { type: 'code_interpreter', container: { type: 'auto' } },
  image_generation_call: { type: 'image_generation' },
  mcp_call: { type: 'mcp', server_label: 'm', server_url: 'https://mcp.example' },
}

function lastBody(): JsonObject {
  const body = parseJson(gateway().one.requests.at(-1)?.body ?? '')
  return isObject(body) ? body : {}
}

function call(type: string, index: number): JsonObject {
  return { type, id: `c_${index}`, status: 'completed', container_id: `cntr_${index}` }
}

async function expectWithin(requestId: string): Promise<void> {
  const entry = await gateway().money.entry(requestId)
  expect(entry.flags).not.toContain('overage')
  const missing = await gateway()
    .engine.db.selectFrom('uncovered')
    .selectAll()
    .where('request_id', '=', requestId)
    .execute()
  expect(missing).toEqual([])
}

describe('responses: one limit for all tools', () => {
  test('no combination of calls within the limit costs more than the hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...itemTypes), { minLength: 1 }),
        fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
        fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        async (types, own, picks) => {
          const { one } = gateway()
          const extra = {
            tools: types.map((type) => toolTypes[type]),
            ...(own === undefined ? {} : { max_tool_calls: own }),
          }
          const asked = { from: 'responses', to: 'responses', extra } as const
          // The first request shows the allowed number, the second makes that many calls.
          one.script('next', { kind: 'reply', body: JSON.stringify(response({ output: [text] })) })
          expect((await ask(gateway(), asked)).status).toBe(200)
          const told = lastBody()['max_tool_calls'] ?? (types.join() === 'mcp_call' ? 40 : 0)
          if (own !== undefined) expect(told).toBe(own)
          const calls = picks
            .slice(0, Number(told))
            .map((pick, index) => call(types[pick % types.length] ?? '', index))
          const body = JSON.stringify(response({ output: [...calls, text], usage }))
          one.script('next', { kind: 'reply', body })
          const reply = await ask(gateway(), asked)
          expect(reply.status).toBe(200)
          await expectWithin(reply.requestId)
        },
      ),
      { numRuns: repeats(25) },
    )
  })

  test('every other byte stays as it was sent', async () => {
    const extra = { tools: [{ type: 'web_search' }], metadata: { n: '1' } }
    await ask(gateway(), { from: 'responses', to: 'responses', extra })
    expect(lastBody()).toMatchObject({ ...extra, max_tool_calls: 10 })
  })

  test('a tool without a price gets no limit', async () => {
    const extra = { tools: [toolTypes.mcp_call] }
    await ask(gateway(), { from: 'responses', to: 'responses', extra })
    expect(lastBody()).not.toHaveProperty('max_tool_calls')
  })
})

const message = (searches: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'x',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { ...usage, server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } },
})

function usesTold(): number {
  const { tools } = lastBody()
  let told = 0
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool) && String(tool['type']).startsWith('web_search')) {
      told += Number(tool['max_uses'])
    }
  }
  return told
}

const search = { type: 'web_search_20250305', name: 'web_search' }
const own = { name: 'f', description: 'a "quoted" \\ text, ]}', input_schema: { type: 'object' } }

describe('messages: a limit for each tool', () => {
  const rows: readonly { title: string; from: ProtocolName; extra: JsonObject; told: number }[] = [
    {
      title: 'no limit of the client',
      from: 'messages',
      extra: { tools: [own, search, own] },
      told: 10,
    },
    {
      title: 'null',
      from: 'messages',
      extra: { tools: [{ ...search, max_uses: null }] },
      told: 10,
    },
    {
      title: 'a limit of the client',
      from: 'messages',
      extra: { tools: [{ ...search, max_uses: 3 }] },
      told: 3,
    },
    {
      title: 'one tool with a limit, one without',
      from: 'messages',
      extra: { tools: [search, { ...search, max_uses: 3 }] },
      told: 13,
    },
    { title: 'chat', from: 'chat-completions', extra: { web_search_options: {} }, told: 10 },
    {
      title: 'responses',
      from: 'responses',
      extra: { tools: [{ type: 'web_search' }], max_tool_calls: 4 },
      told: 4,
    },
    {
      title: 'google',
      from: 'generate-content',
      extra: { tools: [{ googleSearch: {} }] },
      told: 10,
    },
  ]

  test.each(rows)('$title: limited, and within the hold', async ({ from, extra, told }) => {
    const { one } = gateway()
    one.script('next', { kind: 'reply', body: JSON.stringify(message(told)) })
    const reply = await ask(gateway(), { from, to: 'messages', extra })
    expect(reply.status).toBe(200)
    expect(usesTold()).toBe(told)
    await expectWithin(reply.requestId)
  })

  test('a tool that is added in the conversation is limited too, and otherwise unchanged', async () => {
    const { one } = gateway()
    const added = (definition: JsonObject) => ({
      role: 'user',
      content: [
        { type: 'tool_addition', tool: { type: 'tool_definition', definition } },
        { type: 'text', text: 'hi [{"tool":1}]' },
      ],
    })
    const first = { role: 'user', content: 'hello' }
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'yes' }] }
    const limited = { ...search, max_uses: 3 }
    const messages = [first, answer, added(search), answer, added(own), answer, added(limited)]
    one.script('next', { kind: 'reply', body: JSON.stringify(message(13)) })
    const reply = await ask(gateway(), { from: 'messages', to: 'messages', extra: { messages } })
    expect(reply.status).toBe(200)
    const told = [first, answer, added({ ...search, max_uses: 10 }), ...messages.slice(3)]
    expect(one.requests.at(-1)?.body ?? '').toContain(JSON.stringify(told))
    await expectWithin(reply.requestId)
  })

  test('the other tools keep their bytes', async () => {
    const tools = [own, search, { ...own, name: 'g' }]
    await ask(gateway(), { from: 'messages', to: 'messages', extra: { tools } })
    expect(gateway().one.requests.at(-1)?.body ?? '').toContain(
      JSON.stringify([own, { ...search, max_uses: 10 }, { ...own, name: 'g' }]),
    )
  })
})

test.each(['chat-completions', 'messages', 'generate-content'] as const)(
  '%s to responses: limited, and within the hold',
  async (from) => {
    const extras: Readonly<Record<typeof from, JsonObject>> = {
      'chat-completions': { web_search_options: {} },
      messages: { tools: [{ ...search, max_uses: 2 }] },
      'generate-content': { tools: [{ googleSearch: {} }] },
    }
    const told = from === 'messages' ? 2 : 10
    const output = Array.from({ length: told }, (_, index) => call('web_search_call', index))
    const body = JSON.stringify(response({ output: [...output, text], usage }))
    gateway().one.script('next', { kind: 'reply', body })
    const reply = await ask(gateway(), { from, to: 'responses', extra: extras[from] })
    expect(reply.status).toBe(200)
    expect(lastBody()['max_tool_calls']).toBe(told)
    await expectWithin(reply.requestId)
  },
)

test('a limit that cannot be sent to the upstream does not reduce the hold', async () => {
  const reply = {
    usageMetadata: { promptTokenCount: windowTokens, candidatesTokenCount: outputTokens },
    modelVersion: 'gemini-3-pro',
    candidates: [
      {
        finishReason: 'STOP',
        content: { role: 'model', parts: [{ text: 'Hi' }] },
        groundingMetadata: { webSearchQueries: Array.from({ length: 10 }, (_, i) => `q${i}`) },
      },
    ],
  }
  gateway().one.script('next', { kind: 'reply', body: JSON.stringify(reply) })
  const extra = { tools: [{ ...search, max_uses: 1 }] }
  const answered = await ask(gateway(), { from: 'messages', to: 'generate-content', extra })
  expect(answered.status).toBe(200)
  await expectWithin(answered.requestId)
})

test('with little money fewer calls are allowed, and the client gets a warning', async () => {
  // A window costs 0.32 US$ and the output 0.001; the rest of 0.345 pays for two searches.
  const { one } = gateway()
  const extra = { tools: [{ type: 'web_search' }], max_output_tokens: 100 }
  one.script('next', { kind: 'reply', body: JSON.stringify(response({ output: [text] })) })
  const reply = await ask(gateway(), { from: 'responses', to: 'responses', extra, key: 'slimAny' })
  expect(reply.status).toBe(200)
  expect(lastBody()['max_tool_calls']).toBe(2)
  expect(reply.headers.get('x-gateway-warnings')).toContain('calls_limited_to_2')
})
