import { describe, expect, test } from 'bun:test'
import { textOfCandidate } from '../../../../src/protocols/generate-content/values/reply-text.ts'
import {
  reasoningOfBlock,
  textOfBlock,
} from '../../../../src/protocols/messages/values/reply-text.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'

/** An estimate of usage reads this text, so a name that is not read is output that nobody pays for. */
describe('the text that a model has generated', () => {
  const blocks: readonly (readonly [block: unknown, text: string, reasoning: string])[] = [
    [{ type: 'text', text: 'a' }, 'a', ''],
    [{ type: 'text_delta', text: 'a' }, 'a', ''],
    [{ type: 'input_json_delta', partial_json: '{"a' }, '{"a', ''],
    [{ type: 'thinking', thinking: 'hm', signature: 's' }, 'hm', 'hm'],
    [{ type: 'thinking_delta', thinking: 'hm' }, 'hm', 'hm'],
    [{ type: 'tool_use', id: 'i', name: 'f', input: { a: 1 } }, 'f{"a":1}', ''],
    [{ type: 'tool_use', id: 'i', name: 'f', input: {} }, 'f', ''],
    [
      { type: 'server_tool_use', id: 'i', name: 'web_search', input: { query: 'q' } },
      'web_search{"query":"q"}',
      '',
    ],
    [{ type: 'signature_delta', signature: 's' }, '', ''],
    ['text', '', ''],
  ]
  test.each(blocks)('messages: %j', (block, text, reasoning) => {
    expect(textOfBlock(block)).toBe(text)
    expect(reasoningOfBlock(block)).toBe(reasoning)
  })

  const parts: readonly (readonly [
    part: JsonObject,
    text: string,
    thought: string,
    isContent: boolean,
  ])[] = [
    [{ text: 'a' }, 'a', '', true],
    [{ text: 'hm', thought: true }, 'hm', 'hm', true],
    [{ functionCall: { name: 'f', args: { a: 1 } } }, 'f{"a":1}', '', true],
    [{ function_call: { name: 'f', args: { a: 1 } } }, 'f{"a":1}', '', true],
    [{ functionCall: { name: 'f' } }, 'f', '', true],
    [{ functionCall: { partialArgs: [{ jsonPath: '$.a' }] } }, '[{"jsonPath":"$.a"}]', '', true],
    [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }, '', '', true],
    [{ thoughtSignature: 's' }, '', '', false],
  ]
  test.each(parts)('generate-content: %j', (part, text, thought, isContent) => {
    expect(textOfCandidate({ content: { parts: [part] } })).toEqual({ text, thought, isContent })
  })
})
