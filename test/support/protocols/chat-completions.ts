import type { JsonObject } from '../../../src/wire/json.ts'
import {
  dig,
  frame,
  idsOf,
  list,
  prompt,
  type ScriptedReply,
  type TestProtocol,
  texts,
  toolInput,
  toolName,
  toolSchema,
} from './test-protocol.ts'

const path = '/v1/chat/completions'
const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 200,
  total_tokens: 1_200,
  prompt_tokens_details: { cached_tokens: 400 },
  completion_tokens_details: { reasoning_tokens: 50 },
}
const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'theirs' }

export const chatCompletions: TestProtocol = {
  name: 'chat-completions',
  usage,
  client: {
    path: () => path,
    body: (model, isStream) => ({
      model,
      messages: [{ role: 'user', content: prompt }],
      max_tokens: 1_000,
      ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
    }),
    keyHeaders: (value) => ({ authorization: `Bearer ${value}` }),
    toolFields: {
      tools: [
        { type: 'function', function: { name: toolName, parameters: toolSchema, strict: false } },
      ],
      reasoning_effort: 'low',
    },
    textOf: (reply) => texts([dig(reply, 'choices', 0, 'message', 'content')]),
    usageOf: (reply) => dig(reply, 'usage'),
    streamedText: (events) =>
      texts(events.map(({ data }) => dig(data, 'choices', 0, 'delta', 'content'))),
    streamedUsage: (events) => dig(events.at(-2)?.data, 'usage'),
    countEnds: (events) => events.filter(({ data }) => data === '[DONE]').length,
    readFault: faultIn,
    streamedFault: (events) => {
      const last = events.at(-1)?.data
      return dig(last, 'error') === undefined ? undefined : faultIn(last)
    },
    callIds: (reply) =>
      idsOf(list(dig(reply, 'choices', 0, 'message', 'tool_calls')).map((call) => dig(call, 'id'))),
    streamedCallIds: (events) =>
      idsOf(events.map(({ data }) => dig(data, 'choices', 0, 'delta', 'tool_calls', 0, 'id'))),
    goOn: (first, reply) => follow(first, dig(reply, 'choices', 0, 'message'), callIdIn(reply)),
    goOnBare: (first, callId) => {
      const call = { name: toolName, arguments: JSON.stringify(toolInput) }
      const calls = [{ id: callId, type: 'function', function: call }]
      return follow(first, { role: 'assistant', content: null, tool_calls: calls }, callId)
    },
  },
  upstream: {
    path: () => path,
    headers: (credential) => ({ authorization: `Bearer ${credential}` }),
    reply: (said) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'theirs',
      choices: [{ index: 0, message: message(said), finish_reason: finish(said) }],
      ...(said.hasUsage === false ? {} : { usage }),
    }),
    events,
    tailLength: 3,
    faultEvent: (status, text) => frame({ error: { message: text, code: status } }),
    promptOf: (body) => {
      const content = dig(body, 'messages', -1, 'content')
      return typeof content === 'string' ? content : dig(content, 0, 'text')
    },
    tokensOf: (body) =>
      list(dig(body, 'messages'))
        .flatMap((each) => list(dig(each, 'reasoning_details')))
        .map((detail) => dig(detail, 'signature')),
  },
}

function faultIn(body: unknown) {
  const error = dig(body, 'error')
  const code = dig(error, 'code')
  return {
    message: dig(error, 'message'),
    word: dig(error, 'type'),
    reason: dig(error, 'reason') ?? code,
    code,
    field: dig(error, 'param'),
  }
}

function callIdIn(reply: unknown): unknown {
  return dig(reply, 'choices', 0, 'message', 'tool_calls', 0, 'id')
}

function follow(first: JsonObject, assistant: unknown, callId: unknown): JsonObject {
  const result = { role: 'tool', tool_call_id: callId, content: 'sunny' }
  return { ...first, messages: [...list(first['messages']), assistant, result] }
}

function message({ thought, pieces, call }: ScriptedReply): JsonObject {
  return {
    role: 'assistant',
    content: pieces ? pieces.join('') : null,
    ...(thought ? { reasoning_content: thought.text, reasoning_details: [detail(thought)] } : {}),
    ...(call ? { tool_calls: [callOf(call, JSON.stringify(call.input))] } : {}),
  }
}

function detail({ text, token }: NonNullable<ScriptedReply['thought']>): JsonObject {
  return { type: 'reasoning.text', text, signature: token, format: 'theirs', index: 0 }
}

function callOf({ id, name }: NonNullable<ScriptedReply['call']>, input: string): JsonObject {
  return { index: 0, id, type: 'function', function: { name, arguments: input } }
}

function finish({ call }: ScriptedReply): string {
  return call ? 'tool_calls' : 'stop'
}

function chunk(delta: JsonObject, finishReason: string | null = null): string {
  return frame({ ...envelope, choices: [{ index: 0, delta, finish_reason: finishReason }] })
}

function events(said: ScriptedReply): readonly string[] {
  const { thought, pieces = [], call, hasUsage } = said
  return [
    chunk({ role: 'assistant', content: '' }),
    ...(thought
      ? [chunk({ reasoning_content: thought.text, reasoning_details: [detail(thought)] })]
      : []),
    ...pieces.map((content) => chunk({ content })),
    ...(call ? [chunk({ tool_calls: [callOf(call, '')] })] : []),
    ...(call ? [chunk({ tool_calls: [{ index: 0, function: argumentsOf(call) }] })] : []),
    chunk({}, finish(said)),
    hasUsage === false ? ': nothing to report\n\n' : frame({ ...envelope, choices: [], usage }),
    frame('[DONE]'),
  ]
}

function argumentsOf({ input }: NonNullable<ScriptedReply['call']>): JsonObject {
  return { arguments: JSON.stringify(input) }
}
