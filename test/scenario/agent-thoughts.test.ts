import { describe, expect, test } from 'bun:test'
import { isObject, type JsonObject, parseJson } from '../../src/wire/json.ts'
import { type KeyName, thinkingModel, viaModel } from '../support/gateway/test-provision.ts'
import { withGateway } from '../support/gateway/with-gateway.ts'
import { readEvents } from '../support/tongues/read-events.ts'
import { dig, frame, greeting, list, toolInput, toolName } from '../support/tongues/tongue.ts'
import { tongues } from '../support/tongues/tongues.ts'

const gateway = withGateway()
const thoughtText = 'Łódź is a city – look there first.'

/** A vendor without signatures: its thoughts are plain words, and it refuses a call that came without them. */
const plainCall = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: thoughtText.slice(0, 9), content: null }),
  chunk({ reasoning_content: thoughtText.slice(9), content: null }),
  chunk({ content: 'I look.' }),
  chunk({
    tool_calls: [
      {
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: toolName, arguments: JSON.stringify(toolInput) },
      },
    ],
  }),
  chunk({}, 'tool_calls'),
  frame('[DONE]'),
]

function chunk(delta: JsonObject, finish_reason: string | null = null): string {
  return frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'theirs',
    choices: [{ index: 0, delta, finish_reason }],
  })
}

/** Asks in a stream, plays the agent, and gives back what the upstream is asked next. */
async function play(
  from: 'generate-content' | 'responses',
  { key, model, to }: { key: KeyName; model: string; to: 'chat-completions' | 'messages' },
  calling: readonly string[],
  goOn: (first: JsonObject, events: readonly { data: unknown }[]) => JsonObject,
): Promise<unknown> {
  const { ask, one } = gateway()
  const { client } = tongues[from]
  const path = client.path(model, true)
  const first = { ...client.body(model, true), ...client.toolFields }
  one.script('next', { kind: 'events', events: calling, end: 'clean' })
  const called = await ask({ key, path, body: first })
  expect(called.status).toBe(200)
  const events = tongues[to].upstream.events(greeting)
  one.script('next', { kind: 'events', events, end: 'clean' })
  const answered = await ask({ key, path, body: goOn(first, readEvents(called.text)) })
  expect(answered.status).toBe(200)
  expect(client.countEnds(readEvents(answered.text))).toBe(1)
  return parseJson(one.requests[1]?.body ?? '')
}

/** gemini-cli sends the calls back with their signatures, and none of the thoughts. */
function goOnLikeGeminiCli(first: JsonObject, events: readonly { data: unknown }[]): JsonObject {
  const parts = events
    .flatMap(({ data }) => list(dig(data, 'candidates', 0, 'content', 'parts')))
    .filter((part) => dig(part, 'thought') !== true && dig(part, 'text') !== '')
  const call = parts.map((part) => dig(part, 'functionCall')).find(isObject)
  const answer = { id: call?.['id'], name: toolName, response: { output: 'sunny' } }
  return {
    ...first,
    contents: [
      ...list(first['contents']),
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: answer }] },
    ],
  }
}

/** opencode and others on the AI SDK leave out reasoning items that hold nothing encrypted. */
function goOnLikeOpencode(first: JsonObject, events: readonly { data: unknown }[]): JsonObject {
  const output = list(dig(events.at(-1)?.data, 'response', 'output'))
  const kept = output.filter(
    (item) => dig(item, 'type') !== 'reasoning' || dig(item, 'encrypted_content'),
  )
  const callId = dig(
    output.find((item) => dig(item, 'type') === 'function_call'),
    'call_id',
  )
  const result = { type: 'function_call_output', call_id: callId, output: 'sunny' }
  const input = [{ role: 'user', content: 'Look.' }, ...kept, result]
  return { ...first, input, store: false }
}

describe('thoughts that an agent does not send back', () => {
  const upstream = { key: 'thinking', model: thinkingModel, to: 'chat-completions' } as const
  const agents = [
    { agent: 'gemini-cli', from: 'generate-content', goOn: goOnLikeGeminiCli },
    { agent: 'opencode', from: 'responses', goOn: goOnLikeOpencode },
  ] as const

  test.each(agents)(
    '$agent: plain words reach the model that wants them',
    async ({ from, goOn }) => {
      const body = await play(from, upstream, plainCall, goOn)
      expect(list(dig(body, 'messages')).at(-2)).toMatchObject({
        role: 'assistant',
        content: 'I look.',
        reasoning_content: thoughtText,
        tool_calls: [{ id: 'call_1' }],
      })
      expect(list(dig(body, 'messages')).at(-1)).toMatchObject({
        role: 'tool',
        tool_call_id: 'call_1',
      })
    },
  )

  test.each(agents)('$agent: a model that wants none gets none', async ({ from, goOn }) => {
    const other = { ...upstream, key: 'any', model: viaModel('chat-completions') } as const
    const body = await play(from, other, plainCall, goOn)
    expect(list(dig(body, 'messages')).at(-2)).not.toHaveProperty('reasoning_content')
    expect(JSON.stringify(body)).not.toContain(thoughtText)
  })

  test('gemini-cli: signed thoughts return unchanged, text and signature', async () => {
    const token = 'c2lnbmVkKy8='
    const calling = tongues.messages.upstream.events({
      thought: { text: thoughtText, token },
      pieces: ['I look.'],
      call: { id: 'toolu_1', name: toolName, input: toolInput },
    })
    const to = { key: 'any', model: viaModel('messages'), to: 'messages' } as const
    const body = await play('generate-content', to, calling, goOnLikeGeminiCli)
    expect(dig(body, 'messages', -2)).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: thoughtText, signature: token },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: toolName, input: toolInput },
      ],
    })
  })
})
