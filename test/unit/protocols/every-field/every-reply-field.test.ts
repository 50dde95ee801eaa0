import { describe, expect, test } from 'bun:test'
import type { TokenUsage } from '../../../../src/core/money/usage.ts'
import { type ProtocolName, protocolNames } from '../../../../src/core/neutral/protocol-name.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { protocols } from '../../../../src/protocols/index.ts'
import type { ReplyContext } from '../../../../src/protocols/translation.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { ownSchemaProblems } from '../../../conformance/own-schemas/own-schema-problems.ts'
import { text } from '../chat-completions/neutral-replies.ts'
import { requestOf, turn, text as words } from '../fits/build-request.ts'
import { replyRows } from './reply-rows.ts'

const usage: TokenUsage = {
  input: 5,
  cacheRead: 11,
  cacheWrite5m: 13,
  cacheWrite1h: 17,
  output: 23,
  reasoning: 7,
}

interface UsageForm {
  readonly at: string
  readonly report: JsonObject
  /** The buckets that the report does not distinguish. */
  readonly reads: Partial<TokenUsage>
}

const totals = { total_tokens: 69 }
const usageForms: Readonly<Record<ProtocolName, UsageForm>> = {
  'chat-completions': {
    at: 'usage',
    report: {
      prompt_tokens: 46,
      prompt_tokens_details: { cached_tokens: 11, cache_write_tokens: 30 },
      completion_tokens: 23,
      completion_tokens_details: { reasoning_tokens: 7 },
      ...totals,
    },
    reads: { cacheWrite5m: 30, cacheWrite1h: 0 },
  },
  responses: {
    at: 'usage',
    report: {
      input_tokens: 46,
      input_tokens_details: { cached_tokens: 11, cache_write_tokens: 30 },
      output_tokens: 23,
      output_tokens_details: { reasoning_tokens: 7 },
      ...totals,
    },
    reads: { cacheWrite5m: 30, cacheWrite1h: 0 },
  },
  messages: {
    at: 'usage',
    report: {
      input_tokens: 5,
      cache_read_input_tokens: 11,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 13, ephemeral_1h_input_tokens: 17 },
      output_tokens: 23,
      output_tokens_details: { thinking_tokens: 7 },
    },
    reads: {},
  },
  'generate-content': {
    at: 'usageMetadata',
    report: {
      promptTokenCount: 46,
      cachedContentTokenCount: 11,
      candidatesTokenCount: 16,
      thoughtsTokenCount: 7,
      totalTokenCount: 69,
    },
    reads: { input: 35, cacheWrite5m: 0, cacheWrite1h: 0 },
  },
}

/** The members around the answer. */
const envelopes: Readonly<Record<ProtocolName, JsonObject>> = {
  'chat-completions': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'some-model',
  },
  responses: { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'some-model' },
  messages: { id: 'msg_1', type: 'message', role: 'assistant', model: 'some-model' },
  'generate-content': { modelVersion: 'some-model', responseId: '1' },
}

function counting(): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return `${prefix}${count}`
  }
}

function encode(name: ProtocolName, events: readonly ReplyEvent[]): JsonObject {
  const context: ReplyContext = {
    request: requestOf({ turns: [turn('user', words('Hi'))], logprobs: { top: 1 } }),
    requestId: 'req-1',
    body: {},
    wantsStreamUsage: true,
    framing: 'sse',
    createdAtSeconds: 1_700_000_000,
    estimatedInputTokens: 0,
    mint: counting(),
  }
  const reply = parseJson(protocols[name].translation.encodeReply(events, context))
  if (!isObject(reply)) throw new Error('the reply is not a JSON object')
  return reply
}

function decode(name: ProtocolName, reply: JsonObject): ReplyEvent[] {
  const context = { issuer: 'own/model', replies: {}, mint: counting() }
  return protocols[name].translation.decodeReply(JSON.stringify(reply), context)
}

function eventsOf(parts: readonly ReplyEvent[], finish: ReplyEvent): ReplyEvent[] {
  const start: ReplyEvent = { type: 'reply-start', id: 'up', model: 'up' }
  return [start, ...parts, { type: 'usage', usage }, finish]
}

/** The reply with this answer in its place, and the members of the answer's place. */
function wrap(name: ProtocolName, answer: JsonObject): JsonObject {
  if (name === 'chat-completions') return { choices: [answer] }
  return name === 'generate-content' ? { candidates: [answer] } : answer
}

const cases = Object.entries(replyRows).flatMap(([what, row]) =>
  protocolNames.map((name) => ({ what, name, row })),
)

describe('every field of a reply', () => {
  test.each(cases)('$what in $name is written under its name', ({ name, row }) => {
    const finish = { ...row.finish, raw: undefined }
    const reply = encode(name, eventsOf(row.parts, { type: 'reply-end', finishes: [finish] }))
    const expected = wrap(name, row.answers[name].answer)
    for (const [member, value] of Object.entries(expected)) {
      expect({ [member]: reply[member] }).toEqual({ [member]: value })
    }
    expect(ownSchemaProblems(name, 'response', reply)).toEqual([])
  })

  test.each(cases)('$what in $name is read under its name', ({ name, row }) => {
    const { answer, reads } = row.answers[name]
    const { at, report } = usageForms[name]
    const events = decode(name, { ...envelopes[name], ...wrap(name, answer), [at]: report })
    const parts = events.filter(({ type }) => type.startsWith('part-'))
    expect(parts).toEqual([...(reads?.parts ?? row.parts)])
    expect(events.at(-1)).toMatchObject({
      type: 'reply-end',
      finishes: [reads?.finish ?? row.finish],
    })
  })
})

describe('the members around an answer, and its usage', () => {
  const end: ReplyEvent = { type: 'reply-end', finishes: [{ reason: 'stop', raw: undefined }] }

  test.each(protocolNames)('%s: every name is written', (name) => {
    const reply = encode(name, eventsOf(text('Rain'), end))
    expect(reply).toMatchObject(envelopes[name])
    expect(reply[usageForms[name].at]).toEqual(usageForms[name].report)
  })

  test.each(protocolNames)('%s: every name is read', (name) => {
    const { at, report, reads } = usageForms[name]
    const answer = wrap(name, replyRows['a text']?.answers[name].answer ?? {})
    const events = decode(name, { ...envelopes[name], ...answer, [at]: report })
    const reports = events.filter((event) => event.type === 'usage')
    expect(reports.at(-1)?.usage).toEqual({ ...usage, ...reads })
    const { id = envelopes[name]['responseId'], model = 'some-model' } = envelopes[name]
    expect(events[0]).toMatchObject({ type: 'reply-start', id, model })
  })
})
