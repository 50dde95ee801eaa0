import { expect, test } from 'bun:test'
import { measureInput } from '../../../../src/protocols/messages/pass-through/measure-input.ts'

/* Edits of the context that summarise it read it once more; a hold then covers the context window. */

const rows: readonly [name: string, management: unknown, isOpen: boolean][] = [
  [
    'edits that only remove',
    { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'clear_thinking_20251015' }] },
    false,
  ],
  ['no edits', { edits: [] }, false],
  ['null', null, false],
  ['a summary', { edits: [{ type: 'compact_20260112' }] }, true],
  [
    'a summary after an edit that removes',
    { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] },
    true,
  ],
  ['an unknown edit', { edits: [{ type: 'clear_everything_20300101' }] }, true],
  ['edits that are not a list', { edits: 'compact' }, true],
]

test.each(rows)('context_management: %s', (_, management, isOpen) => {
  const body = { model: 'm', max_tokens: 1, messages: [], context_management: management }
  expect(measureInput(body).isOpen).toBe(isOpen)
})
