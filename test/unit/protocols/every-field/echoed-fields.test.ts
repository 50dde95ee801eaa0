import { describe, expect, test } from 'bun:test'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import { protocols } from '../../../../src/protocols/index.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { text } from '../chat-completions/neutral-replies.ts'
import { requestOf, turn, text as words } from '../fits/build-request.ts'

function replyTo(body: JsonObject): JsonObject {
  const end: ReplyEvent = { type: 'reply-end', finishes: [{ reason: 'stop', raw: undefined }] }
  const events: ReplyEvent[] = [{ type: 'reply-start', id: 'up', model: 'up' }, ...text('Hi'), end]
  const reply = parseJson(
    protocols.responses.translation.encodeReply(events, {
      request: requestOf({ turns: [turn('user', words('Hi'))] }),
      requestId: 'req-1',
      body,
      wantsStreamUsage: true,
      framing: 'sse',
      createdAtSeconds: 1_700_000_000,
      estimatedInputTokens: 0,
      mint: (prefix) => `${prefix}1`,
    }),
  )
  if (!isObject(reply)) throw new Error('the reply is not a JSON object')
  return reply
}

const custom = { type: 'custom', name: 'patch' }
const space = { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a' }] }

/** Each field of the request that a response repeats: the sent value, the repeated value, and the value without it. */
const rows: readonly (readonly [
  name: string,
  sent: unknown,
  repeated: unknown,
  absent: unknown,
])[] = [
  ['instructions', 'Be brief.', 'Be brief.', null],
  ['instructions', 'x'.repeat(70_000), null, null],
  ['max_output_tokens', 7, 7, null],
  ['max_tool_calls', 3, 3, null],
  ['metadata', { a: 'b' }, { a: 'b' }, {}],
  ['parallel_tool_calls', false, false, true],
  ['previous_response_id', 'resp_0', 'resp_0', null],
  ['prompt_cache_key', 'k', 'k', null],
  [
    'reasoning',
    { effort: 'low' },
    { effort: 'low', summary: null },
    { effort: null, summary: null },
  ],
  [
    'reasoning',
    { summary: 'auto' },
    { effort: null, summary: 'auto' },
    { effort: null, summary: null },
  ],
  ['safety_identifier', 's', 's', null],
  ['service_tier', 'flex', 'flex', 'default'],
  ['service_tier', 'auto', 'default', 'default'],
  ['store', false, false, true],
  ['temperature', 0.5, 0.5, 1],
  [
    'text',
    { verbosity: 'low' },
    { verbosity: 'low', format: { type: 'text' } },
    { format: { type: 'text' } },
  ],
  [
    'text',
    { format: { type: 'json_object' } },
    { format: { type: 'json_object' } },
    { format: { type: 'text' } },
  ],
  ['tool_choice', 'none', 'none', 'auto'],
  ['tools', [custom], [{ ...custom, format: { type: 'text' } }], []],
  [
    'tools',
    [{ type: 'function', name: 'a', parameters: { type: 'object' } }],
    [{ type: 'function', name: 'a', parameters: { type: 'object' }, strict: false }],
    [],
  ],
  [
    'tools',
    [space],
    [{ ...space, tools: [{ type: 'function', name: 'a', parameters: null, strict: false }] }],
    [],
  ],
  ['tools', [{ type: 'web_search' }], [{ type: 'web_search' }], []],
  ['top_logprobs', 2, 2, 0],
  ['top_p', 0.5, 0.5, 1],
  ['truncation', 'auto', 'auto', 'disabled'],
  ['user', 'u', 'u', null],
]

describe('a response repeats the fields of its request', () => {
  test.each(rows)('%s: %j', (name, sent, repeated, absent) => {
    const without = replyTo({})
    expect(without[name]).toEqual(absent)
    expect(replyTo({ [name]: sent })).toEqual({ ...without, [name]: repeated })
  })

  test('the members that no request contains', () => {
    expect(replyTo({})).toMatchObject({
      id: 'resp_1',
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      background: false,
      error: null,
      incomplete_details: null,
      model: 'some-model',
    })
  })
})
