import { describe, expect, test } from 'bun:test'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { TestGateway } from '../../support/gateway/start-gateway.ts'
import { testVault } from '../../support/gateway/test-database.ts'
import { nativeModels } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'

const counting = withGateway()
const ignoring = withGateway({ countsCachedInput: false })
const tools = { vault: testVault, random: systemRandom, nowMs: () => Date.now() }
const limit = 1_000_000

/** Every answer has 1,000 tokens of input, 900 of them cached, and 50 of output, 30 of them hidden reasoning. */
interface Row {
  readonly protocol: string
  readonly path: (isStream: boolean) => string
  readonly body: (isStream: boolean) => JsonObject
  readonly whole: JsonObject
  readonly events: readonly JsonObject[]
  readonly named: boolean
}

const { openai, anthropic, google } = nativeModels
const messages = [{ role: 'user', content: 'Hello' }]
const chatUsage = {
  prompt_tokens: 1_000,
  completion_tokens: 50,
  total_tokens: 1_050,
  prompt_tokens_details: { cached_tokens: 900 },
  completion_tokens_details: { reasoning_tokens: 30 },
}
const chatBase = { id: 'c', created: 1, model: openai }
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: openai,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ],
  usage: {
    input_tokens: 1_000,
    input_tokens_details: { cached_tokens: 900 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 30 },
    total_tokens: 1_050,
  },
}
const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: anthropic,
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: {
    input_tokens: 60,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 40,
    output_tokens: 50,
  },
}
const content = {
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP', index: 0 },
  ],
  usageMetadata: {
    promptTokenCount: 1_000,
    cachedContentTokenCount: 900,
    candidatesTokenCount: 20,
    thoughtsTokenCount: 30,
    totalTokenCount: 1_050,
  },
}

const rows: readonly Row[] = [
  {
    protocol: 'chat-completions',
    path: () => '/v1/chat/completions',
    body: (stream) => ({ model: openai, messages, max_completion_tokens: 100, stream }),
    whole: {
      ...chatBase,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: chatUsage,
    },
    events: [
      {
        ...chatBase,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      },
      { ...chatBase, object: 'chat.completion.chunk', choices: [], usage: chatUsage },
    ],
    named: false,
  },
  {
    protocol: 'responses',
    path: () => '/v1/responses',
    body: (stream) => ({ model: openai, input: 'Hello', max_output_tokens: 100, stream }),
    whole: response,
    events: [
      {
        type: 'response.created',
        sequence_number: 0,
        response: { ...response, status: 'in_progress', output: [], usage: null },
      },
      {
        type: 'response.output_text.delta',
        sequence_number: 1,
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'Hi',
      },
      { type: 'response.completed', sequence_number: 2, response },
    ],
    named: true,
  },
  {
    protocol: 'messages',
    path: () => '/v1/messages',
    body: (stream) => ({ model: anthropic, messages, max_tokens: 100, stream }),
    whole: message,
    events: [
      {
        type: 'message_start',
        message: {
          ...message,
          content: [],
          stop_reason: null,
          usage: { ...message.usage, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 50 },
      },
      { type: 'message_stop' },
    ],
    named: true,
  },
  {
    protocol: 'generate-content',
    path: (isStream) =>
      `/v1beta/models/${google}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { maxOutputTokens: 100 },
    }),
    whole: content,
    events: [content],
    named: false,
  },
]

/** The tokens that one request counts towards the limit of its key. Time stands still, so none come back. */
async function counted(at: TestGateway, row: Row, isStream: boolean): Promise<number> {
  const { engine, ask, one, clock } = at
  const { value } = await write(engine, Date.now(), (writing) =>
    createKey(writing, tools, {
      accountId: 'acme',
      name: 'limited',
      groups: ['native', 'default'],
      tokensPerMinute: limit,
    }),
  )
  const headers = { authorization: `Bearer ${value}` }
  const frames = row.events.map((event) => {
    const name = row.named ? `event: ${String(event['type'])}\n` : ''
    return `${name}data: ${JSON.stringify(event)}\n\n`
  })
  one.script(
    'next',
    isStream
      ? {
          kind: 'events',
          headers: { 'content-type': 'text/event-stream' },
          events: row.protocol === 'chat-completions' ? [...frames, 'data: [DONE]\n\n'] : frames,
          end: 'clean',
        }
      : {
          kind: 'reply',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(row.whole),
        },
  )
  const resume = clock.standStill()
  try {
    const reply = await ask({ headers, path: row.path(isStream), body: row.body(isStream) })
    expect(reply.status).toBe(200)
    // Its headers show what the first request has left: the second one uses two tokens.
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    one.script('next', { kind: 'lie-usage', usage })
    const after = await ask({ headers, body: { model: 'gpt-y', messages, max_tokens: 10 } })
    expect(after.status).toBe(200)
    return limit - 2 - Number(after.headers.get('x-ratelimit-remaining-tokens'))
  } finally {
    resume()
  }
}

describe.each([false, true])('the tokens that count towards a limit, stream: %p', (isStream) => {
  test.each(rows)('$protocol: all of them by default', async (row) => {
    expect(await counted(counting(), row, isStream)).toBe(1_050)
  })

  test.each(rows)(
    '$protocol: without cached input with rateLimitCachedInput: ignore',
    async (row) => {
      expect(await counted(ignoring(), row, isStream)).toBe(150)
    },
  )
})
