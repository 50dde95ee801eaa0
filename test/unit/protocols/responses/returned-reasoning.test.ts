import { describe, expect, test } from 'bun:test'
import { translation as chat } from '../../../../src/protocols/chat-completions/translation.ts'
import { Notes } from '../../../../src/protocols/notes.ts'
import { translation } from '../../../../src/protocols/responses/translation.ts'
import { writeJson } from '../../../../src/wire/exact-json.ts'
import { isObject, type JsonObject, parseJson } from '../../../../src/wire/json.ts'
import { decode, replyContext, target } from './helpers.ts'

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const upstreamReply = JSON.stringify({
  id: 'x',
  model: 'up',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, reasoning_content: 'why', tool_calls: [call] },
      finish_reason: 'tool_calls',
    },
  ],
})

/** The output for a client of this protocol, from an upstream with visible, unsigned reasoning. */
function outputOf(): JsonObject[] {
  const events = chat.decodeReply(upstreamReply, {
    issuer: target.issuer,
    replies: {},
    mint: (text) => text,
  })
  const include = ['reasoning.encrypted_content']
  const context = replyContext({ model: 'm', input: 'hi', store: false, include })
  const reply = parseJson(translation.encodeReply(events, context))
  const output = isObject(reply) ? reply['output'] : undefined
  return Array.isArray(output) ? output.filter(isObject) : []
}

describe('reasoning of an upstream that signs nothing and needs it back', () => {
  const clients: [string, (item: JsonObject) => JsonObject][] = [
    ['whole', (item) => item],
    ['only the encrypted content', (item) => ({ ...item, summary: [] })],
    ['only the summary', (item) => ({ ...item, encrypted_content: null })],
  ]
  test.each(clients)('sent back: %s', (_, keep) => {
    const output = outputOf().map((item) => (item['type'] === 'reasoning' ? keep(item) : item))
    const result = { type: 'function_call_output', call_id: 'c1', output: 'done' }
    const request = decode({ input: [{ role: 'user', content: 'hi' }, ...output, result] })
    const deepseek = { ...target, traits: { reasoningReturn: 'reasoning_content' } as const }
    const notes = new Notes(translation.fieldNames, true)
    const sent = writeJson(chat.encodeRequest(request, deepseek, notes))
    expect(sent).not.toContain('gw1.')
    expect(parseJson(sent)).toMatchObject({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', reasoning_content: 'why', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
    })
    expect(notes.warnings).toEqual([])
  })
})
