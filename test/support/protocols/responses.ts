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

const path = '/v1/responses'
const usage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 400 },
  output_tokens: 200,
  output_tokens_details: { reasoning_tokens: 50 },
  total_tokens: 1_200,
}
const ends = new Set<unknown>(['response.completed', 'response.incomplete'])

export const responses: TestProtocol = {
  name: 'responses',
  usage,
  client: {
    path: () => path,
    body: (model, isStream) => ({
      model,
      input: prompt,
      max_output_tokens: 1_000,
      ...(isStream ? { stream: true } : {}),
    }),
    keyHeaders: (value) => ({ authorization: `Bearer ${value}` }),
    toolFields: {
      tools: [{ type: 'function', name: toolName, parameters: toolSchema, strict: false }],
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    },
    textOf: (reply) =>
      texts(
        list(dig(reply, 'output'))
          .flatMap((item) => list(dig(item, 'content')))
          .map((part) => dig(part, 'text')),
      ),
    usageOf: (reply) => dig(reply, 'usage'),
    streamedText: (events) =>
      texts(
        events
          .filter(({ event }) => event === 'response.output_text.delta')
          .map(({ data }) => dig(data, 'delta')),
      ),
    streamedUsage: (events) => dig(events.at(-1)?.data, 'response', 'usage'),
    countEnds: (events) => events.filter(({ event }) => ends.has(event)).length,
    readFault: faultIn,
    streamedFault: (events) => {
      const [error, failed] = events.slice(-2)
      const isTold = error?.event === 'error' && failed?.event === 'response.failed'
      const isFailed = dig(failed?.data, 'response', 'status') === 'failed'
      return isTold && isFailed ? faultIn(error.data) : undefined
    },
    callIds: (reply) => idsOf(list(dig(reply, 'output')).map((item) => dig(item, 'call_id'))),
    streamedCallIds: (events) => {
      const done = events.filter(({ event }) => event === 'response.output_item.done')
      return idsOf(done.map(({ data }) => dig(data, 'item', 'call_id')))
    },
    goOn: (first, reply) => {
      const output = list(dig(reply, 'output'))
      const callId = output.map((item) => dig(item, 'call_id')).find((id) => id !== undefined)
      return follow(first, output, callId)
    },
    goOnBare: (first, callId) => {
      const call = { name: toolName, arguments: JSON.stringify(toolInput) }
      return follow(first, [{ type: 'function_call', call_id: callId, ...call }], callId)
    },
  },
  upstream: {
    path: () => path,
    headers: (credential) => ({ authorization: `Bearer ${credential}` }),
    reply: (said) => ({
      ...envelope,
      id: said.id ?? envelope.id,
      status: 'completed',
      output: items(said),
      usage: said.hasUsage === false ? null : usage,
    }),
    events,
    tailLength: 4,
    faultEvent: (status, message) => {
      const words: Readonly<Record<number, string>> = {
        400: 'invalid_prompt',
        429: 'rate_limit_exceeded',
        503: 'server_is_overloaded',
        529: 'server_is_overloaded',
      }
      const error = { type: 'their_type', code: words[status] ?? 'server_error', message }
      return frame({ type: 'error', sequence_number: 1, error }, 'error')
    },
    promptOf: (body) => {
      const input = dig(body, 'input')
      const content = dig(input, -1, 'content')
      if (typeof input === 'string') return input
      return typeof content === 'string' ? content : dig(content, 0, 'text')
    },
    tokensOf: (body) =>
      list(dig(body, 'input'))
        .map((item) => dig(item, 'encrypted_content'))
        .filter((token) => token !== undefined),
  },
}

const envelope = {
  id: 'resp_theirs',
  object: 'response',
  created_at: 1,
  error: null,
  incomplete_details: null,
  model: 'theirs',
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

function follow(first: JsonObject, output: readonly unknown[], callId: unknown): JsonObject {
  const result = { type: 'function_call_output', call_id: callId, output: 'sunny' }
  const { input } = first
  const asked = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input)
  return { ...first, input: [...asked, ...output, result] }
}

function items({ thought, pieces, call }: ScriptedReply): readonly JsonObject[] {
  const done = { status: 'completed' }
  return [
    ...(thought
      ? [
          {
            id: 'rs_1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: thought.text }],
            encrypted_content: thought.token,
          },
        ]
      : []),
    ...(pieces
      ? [
          {
            id: 'msg_1',
            type: 'message',
            ...done,
            role: 'assistant',
            content: [{ type: 'output_text', text: pieces.join(''), annotations: [] }],
          },
        ]
      : []),
    ...(call
      ? [
          {
            id: 'fc_1',
            type: 'function_call',
            ...done,
            call_id: call.id,
            name: call.name,
            arguments: JSON.stringify(call.input),
          },
        ]
      : []),
  ]
}

type Step = readonly [type: string, fields: JsonObject]

function steps(said: ScriptedReply, item: JsonObject, index: number): readonly Step[] {
  const place = { item_id: item['id'], output_index: index }
  const summary = { ...place, summary_index: 0 }
  const part = { ...place, content_index: 0 }
  const text = said.pieces?.join('')
  switch (item['type']) {
    case 'reasoning': {
      const shown = { type: 'summary_text', text: said.thought?.text }
      return [
        ['response.reasoning_summary_part.added', { ...summary, part: { ...shown, text: '' } }],
        ['response.reasoning_summary_text.delta', { ...summary, delta: shown.text }],
        ['response.reasoning_summary_text.done', { ...summary, text: shown.text }],
        ['response.reasoning_summary_part.done', { ...summary, part: shown }],
      ]
    }
    case 'message': {
      const whole = { type: 'output_text', text, annotations: [] }
      return [
        ['response.content_part.added', { ...part, part: { ...whole, text: '' } }],
        ...(said.pieces ?? []).map(
          (delta): Step => ['response.output_text.delta', { ...part, delta }],
        ),
        ['response.output_text.done', { ...part, text }],
        ['response.content_part.done', { ...part, part: whole }],
      ]
    }
    default: {
      const type = 'response.function_call_arguments'
      return [
        [`${type}.delta`, { ...place, delta: item['arguments'] }],
        [`${type}.done`, { ...place, arguments: item['arguments'] }],
      ]
    }
  }
}

const emptied: JsonObject = { summary: [], content: [], arguments: '', status: 'in_progress' }

function announced(item: JsonObject): JsonObject {
  // The value in the announcement of an item is not the final token.
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    name === 'encrypted_content' ? 'not-yet' : (emptied[name] ?? value),
  ])
  return Object.fromEntries(entries)
}

function events(said: ScriptedReply): readonly string[] {
  const id = said.id ?? envelope.id
  const begun = { ...envelope, id, status: 'in_progress', output: [], usage: null }
  const ladder: Step[] = [
    ['response.created', { response: begun }],
    ['response.in_progress', { response: begun }],
    ...items(said).flatMap((item, index): Step[] => [
      ['response.output_item.added', { output_index: index, item: announced(item) }],
      ...steps(said, item, index),
      ['response.output_item.done', { output_index: index, item }],
    ]),
    ['response.completed', { response: responses.upstream.reply(said) }],
  ]
  return ladder.map(([type, fields], index) =>
    frame({ type, sequence_number: index, ...fields }, type),
  )
}
