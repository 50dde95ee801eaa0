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

const path = '/v1/messages'
const usage = {
  input_tokens: 600,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 400,
  output_tokens: 200,
  output_tokens_details: { thinking_tokens: 50 },
}

export const messages: TestProtocol = {
  name: 'messages',
  usage,
  client: {
    path: () => path,
    body: (model, isStream) => ({
      model,
      max_tokens: 1_000,
      messages: [{ role: 'user', content: prompt }],
      ...(isStream ? { stream: true } : {}),
    }),
    keyHeaders: (value) => ({ 'x-api-key': value, 'vendor-version': '2023-06-01' }),
    toolFields: {
      max_tokens: 4_000,
      tools: [{ name: toolName, input_schema: toolSchema }],
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    },
    textOf: (reply) => texts(list(dig(reply, 'content')).map((block) => dig(block, 'text'))),
    usageOf: (reply) => dig(reply, 'usage'),
    streamedText: (events) => texts(events.map(({ data }) => dig(data, 'delta', 'text'))),
    streamedUsage: (events) => dig(events.at(-2)?.data, 'usage'),
    countEnds: (events) => events.filter(({ event }) => event === 'message_stop').length,
    readFault: faultIn,
    streamedFault: (events) => {
      const last = events.at(-1)
      return last?.event === 'error' ? faultIn(last.data) : undefined
    },
    callIds: (reply) => idsOf(list(dig(reply, 'content')).map((block) => dig(block, 'id'))),
    streamedCallIds: (events) => idsOf(events.map(({ data }) => dig(data, 'content_block', 'id'))),
    goOn: (first, reply) => {
      const content = list(dig(reply, 'content'))
      const callId = content.map((block) => dig(block, 'id')).find((id) => id !== undefined)
      return follow(first, content, callId)
    },
    goOnBare: (first, callId) =>
      follow(first, [{ type: 'tool_use', id: callId, name: toolName, input: toolInput }], callId),
  },
  upstream: {
    path: () => path,
    headers: (credential) => ({
      'anthropic-version': '2023-06-01',
      'x-api-key': credential,
      // The base URL is not Anthropic's, so the gateway sends the credential in both headers.
      authorization: `Bearer ${credential}`,
    }),
    reply: (said) => ({
      ...envelope,
      content: blocks(said),
      stop_reason: stopReason(said),
      ...(said.hasUsage === false ? {} : { usage }),
    }),
    events,
    tailLength: 3,
    faultEvent: (status, text) => {
      const type = status === 529 ? 'overloaded_error' : (types[status] ?? 'api_error')
      return frame({ type: 'error', error: { type, message: text } }, 'error')
    },
    promptOf: (body) => {
      const content = dig(body, 'messages', -1, 'content')
      return typeof content === 'string' ? content : dig(content, 0, 'text')
    },
    tokensOf: (body) =>
      list(dig(body, 'messages'))
        .flatMap((each) => list(dig(each, 'content')))
        .flatMap((block) => [dig(block, 'signature'), dig(block, 'data')])
        .filter((token) => token !== undefined),
  },
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  429: 'rate_limit_error',
}
const envelope = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'theirs',
  stop_sequence: null,
}

function faultIn(body: unknown) {
  const error = dig(body, 'error')
  return {
    message: dig(error, 'message'),
    word: dig(error, 'type'),
    reason: dig(error, 'details', 'error_code'),
  }
}

function follow(first: JsonObject, content: readonly unknown[], callId: unknown): JsonObject {
  const result = { type: 'tool_result', tool_use_id: callId, content: 'sunny' }
  const turns = [
    { role: 'assistant', content },
    { role: 'user', content: [result] },
  ]
  return { ...first, messages: [...list(first['messages']), ...turns] }
}

function stopReason({ call }: ScriptedReply): string {
  return call ? 'tool_use' : 'end_turn'
}

function blocks({ thought, pieces, call }: ScriptedReply): readonly JsonObject[] {
  return [
    ...(thought ? [{ type: 'thinking', thinking: thought.text, signature: thought.token }] : []),
    ...(pieces ? [{ type: 'text', text: pieces.join('') }] : []),
    ...(call ? [{ type: 'tool_use', ...call }] : []),
  ]
}

function step(type: string, fields: JsonObject): string {
  return frame({ type, ...fields }, type)
}

function deltasOf(said: ScriptedReply, block: JsonObject): readonly JsonObject[] {
  const { thought, pieces = [], call } = said
  switch (block['type']) {
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: thought?.text },
        { type: 'signature_delta', signature: thought?.token },
      ]
    case 'text':
      return pieces.map((text) => ({ type: 'text_delta', text }))
    default:
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(call?.input) }]
  }
}

const emptied: JsonObject = { thinking: '', signature: '', text: '', input: {} }

function emptyBlock(block: JsonObject): JsonObject {
  const entries = Object.entries(block).map(([name, value]) => [name, emptied[name] ?? value])
  return Object.fromEntries(entries)
}

function events(said: ScriptedReply): readonly string[] {
  const atStart = { ...usage, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } }
  const report = (reported: JsonObject) => (said.hasUsage === false ? {} : { usage: reported })
  const parts = blocks(said).flatMap((block, index) => [
    step('content_block_start', { index, content_block: emptyBlock(block) }),
    ...deltasOf(said, block).map((delta) => step('content_block_delta', { index, delta })),
    step('content_block_stop', { index }),
  ])
  const delta = { stop_reason: stopReason(said), stop_sequence: null }
  return [
    step('message_start', {
      message: { ...envelope, content: [], stop_reason: null, ...report(atStart) },
    }),
    ...parts,
    step('message_delta', { delta, ...report(usage) }),
    step('message_stop', {}),
  ]
}
