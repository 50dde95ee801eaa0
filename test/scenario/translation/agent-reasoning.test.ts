import { describe, expect, test } from 'bun:test'
import type { ProtocolName } from '../../../src/core/neutral/protocol-name.ts'
import { isObject, type JsonObject, parseJson } from '../../../src/wire/json.ts'
import { type KeyName, thinkingModel, viaModel } from '../../support/gateway/test-provision.ts'
import { withGateway } from '../../support/gateway/with-gateway.ts'
import { readEvents } from '../../support/protocols/read-events.ts'
import {
  dig,
  frame,
  greeting,
  list,
  texts,
  toolInput,
  toolName,
} from '../../support/protocols/test-protocol.ts'
import { testProtocols } from '../../support/protocols/test-protocols.ts'

const gateway = withGateway()
const thoughtText = 'Łódź is a city – look there first.'

/** A vendor without signatures: its reasoning is plain text, and it rejects a call without its reasoning. */
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

/** Sends a streamed request, acts as the agent, and returns the next request to the upstream. */
async function play(
  from: ProtocolName,
  { key, model, to }: { key: KeyName; model: string; to: ProtocolName },
  calling: readonly string[],
  goOn: (first: JsonObject, events: readonly { data: unknown }[]) => JsonObject,
): Promise<unknown> {
  const { ask, one } = gateway()
  const { client } = testProtocols[from]
  const path = client.path(model, true)
  const first = { ...client.body(model, true), ...client.toolFields }
  one.script('next', { kind: 'events', events: calling, end: 'clean' })
  const called = await ask({ key, path, body: first })
  expect(called.status).toBe(200)
  const events = testProtocols[to].upstream.events(greeting)
  one.script('next', { kind: 'events', events, end: 'clean' })
  const answered = await ask({ key, path, body: goOn(first, readEvents(called.text)) })
  expect(answered.status).toBe(200)
  expect(client.countEnds(readEvents(answered.text))).toBe(1)
  return parseJson(one.requests[1]?.body ?? '')
}

/** gemini-cli sends back the calls with their signatures, and no reasoning. */
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

/** kimi keeps the text of the reasoning, signatures only on calls, and drops call ids. */
function goOnLikeKimi(first: JsonObject, events: readonly { data: unknown }[]): JsonObject {
  const parts = events
    .flatMap(({ data }) => list(dig(data, 'candidates', 0, 'content', 'parts')))
    .filter((part) => dig(part, 'text') !== '')
    .map((part) => {
      const call = dig(part, 'functionCall')
      if (!isObject(call)) return { text: dig(part, 'text'), thought: dig(part, 'thought') }
      const { id: _, ...known } = call
      return { functionCall: known, thoughtSignature: dig(part, 'thoughtSignature') }
    })
  const answer = { name: toolName, response: { output: 'sunny' } }
  return {
    ...first,
    contents: [
      ...list(first['contents']),
      { role: 'model', parts },
      { role: 'user', parts: [{ functionResponse: answer }] },
    ],
  }
}

/** qwen-code joins consecutive reasoning into one block, and their signatures into one text. */
function goOnLikeQwen(first: JsonObject, events: readonly { data: unknown }[]): JsonObject {
  const content: { type: unknown; thinking: string; signature: string }[] = []
  let call: JsonObject = {}
  for (const { data } of events) {
    const block = dig(data, 'content_block')
    if (dig(block, 'type') === 'tool_use') call = { ...call, id: dig(block, 'id') }
    else if (dig(block, 'type') === 'thinking' && content.length === 0)
      content.push({ type: 'thinking', thinking: '', signature: '' })
    const thought = content[0]
    if (!thought) continue
    thought.thinking += texts([dig(data, 'delta', 'thinking')])
    thought.signature += texts([dig(data, 'delta', 'signature')])
  }
  const used = { type: 'tool_use', ...call, name: toolName, input: toolInput }
  const result = { type: 'tool_result', tool_use_id: call['id'], content: 'sunny' }
  return {
    ...first,
    messages: [
      ...list(first['messages']),
      { role: 'assistant', content: [...content, used] },
      { role: 'user', content: [result] },
    ],
  }
}

/** opencode and other clients of the AI SDK omit reasoning items without encrypted content. */
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

describe('reasoning that an agent does not send back', () => {
  const upstream = { key: 'thinking', model: thinkingModel, to: 'chat-completions' } as const
  const agents = [
    { agent: 'gemini-cli', from: 'generate-content', goOn: goOnLikeGeminiCli },
    { agent: 'opencode', from: 'responses', goOn: goOnLikeOpencode },
  ] as const

  test.each(agents)(
    '$agent: plain reasoning reaches the model that needs it',
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

  test.each(agents)('$agent: a model that needs no reasoning gets none', async ({ from, goOn }) => {
    const other = { ...upstream, key: 'any', model: viaModel('chat-completions') } as const
    const body = await play(from, other, plainCall, goOn)
    expect(list(dig(body, 'messages')).at(-2)).not.toHaveProperty('reasoning_content')
    expect(JSON.stringify(body)).not.toContain(thoughtText)
  })

  const token = 'c2lnbmVkKy8='
  const thought = { text: thoughtText, token }

  test.each([
    ['gemini-cli', goOnLikeGeminiCli],
    ['kimi', goOnLikeKimi],
  ] as const)('%s: signed reasoning comes back unchanged and first', async (_, goOn) => {
    const calling = testProtocols.messages.upstream.events({
      thought,
      pieces: ['I ', 'look.'],
      call: { id: 'toolu_1', name: toolName, input: toolInput },
    })
    const to = { key: 'any', model: viaModel('messages'), to: 'messages' } as const
    const body = await play('generate-content', to, calling, goOn)
    expect(dig(body, 'messages', -2)).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: thoughtText, signature: token },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: expect.any(String), name: toolName, input: toolInput },
      ],
    })
    const id = dig(body, 'messages', -2, 'content', -1, 'id')
    expect(dig(body, 'messages', -1, 'content', 0, 'tool_use_id')).toBe(id)
  })

  test('qwen-code: the signature of a call returns to it', async () => {
    const calling = testProtocols['generate-content'].upstream.events({
      thought,
      call: { id: 'f1', name: toolName, input: toolInput },
    })
    const model = viaModel('generate-content')
    const to = { key: 'any', model, to: 'generate-content' } as const
    const body = await play('messages', to, calling, goOnLikeQwen)
    const parts = list(dig(body, 'contents', -2, 'parts'))
    expect(parts.at(-1)).toMatchObject({
      functionCall: { name: toolName },
      thoughtSignature: token,
    })
    expect(testProtocols['generate-content'].upstream.tokensOf(body)).toEqual([token])
  })
})
