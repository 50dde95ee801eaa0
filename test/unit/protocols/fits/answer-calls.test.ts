import { describe, expect, test } from 'bun:test'
import type { Turn } from '../../../../src/core/neutral/model-request.ts'
import { answerCalls } from '../../../../src/protocols/fit/answer-calls.ts'
import { call, lenient, requestOf, result, strict, text, turn } from './build-request.ts'

/** A conversation in short: `assistant(c1 c2) user(=c1 =c2 "hi")`. */
function brief(turns: readonly Turn[]): string {
  const sketches = turns.map(({ role, parts }) => {
    const inside = parts.map((part) => {
      if (part.type === 'tool-call') return part.id
      if (part.type === 'tool-result') return part.isError ? `!${part.callId}` : `=${part.callId}`
      return part.type === 'text' ? `"${part.text}"` : part.type
    })
    return `${role}(${inside.join(' ')})`
  })
  return sketches.join(' ')
}

const c1 = call('c1', 'f')
const c2 = call('c2', 'g')
const r1 = result('c1')
const r2 = result('c2')
const hi = turn('user', text('hi'))
const missing = ['messages_result_missing']
const stray = ['messages_result_without_call']

describe('answering calls', () => {
  const fine: [string, Turn[]][] = [
    ['a request without tools', [hi, turn('assistant', text('ho')), hi]],
    ['one call', [hi, turn('assistant', c1), turn('user', r1)]],
    [
      'two calls and a text of the user',
      [turn('assistant', c1, c2), turn('user', r1, r2, text('and'))],
    ],
    ['open calls at the very end', [hi, turn('assistant', text('so'), c1)]],
    ['assistant turns without calls', [turn('assistant', text('a')), turn('assistant', text('b'))]],
  ]
  test.each(fine)('%s: nothing changes', (_, turns) => {
    const request = requestOf({ turns })
    expect(answerCalls(request, strict())).toBe(request)
  })

  const moved: [string, Turn[], string][] = [
    [
      'a turn for each result',
      [turn('assistant', c1, c2), turn('user', r1), turn('user', r2), hi],
      'assistant(c1 c2) user(=c1 =c2) user("hi")',
    ],
    [
      'results in another order',
      [turn('assistant', c1, c2), turn('user', r2, r1)],
      'assistant(c1 c2) user(=c1 =c2)',
    ],
    [
      'text before the results',
      [turn('assistant', c1), turn('user', text('look'), r1)],
      'assistant(c1) user(=c1 "look")',
    ],
    [
      'a result that comes later',
      [turn('assistant', c1), hi, turn('user', r1, text('late'))],
      'assistant(c1) user(=c1 "hi") user("late")',
    ],
    [
      'a system turn in between',
      [turn('assistant', c1), turn('system', text('s')), turn('user', r1)],
      'assistant(c1) user(=c1) system("s")',
    ],
    [
      'two assistant turns in a row',
      [turn('assistant', c1), turn('assistant', c2), turn('user', r1, r2)],
      'assistant(c1 c2) user(=c1 =c2)',
    ],
    [
      'calls in two turns, results after both',
      [turn('assistant', c1), hi, turn('assistant', c2), turn('user', r1, r2)],
      'assistant(c1) user(=c1 "hi") assistant(c2) user(=c2)',
    ],
    [
      'a reused id',
      [turn('assistant', c1), turn('user', r1), turn('assistant', c1), turn('user', text('x'), r1)],
      'assistant(c1) user(=c1) assistant(c1) user(=c1 "x")',
    ],
    [
      'a duplicate result',
      [turn('assistant', c1), turn('user', r1, r1)],
      'assistant(c1) user(=c1)',
    ],
    [
      'the same id twice in a turn',
      [turn('assistant', c1, c1), turn('user', r1), turn('user', r1)],
      'assistant(c1 c1) user(=c1 =c1)',
    ],
  ]
  test.each(moved)('%s: moved without a warning', (_, turns, expected) => {
    expect(brief(answerCalls(requestOf({ turns }), strict()).turns)).toBe(expected)
  })

  const lossy: [string, Turn[], string, string[]][] = [
    ['no result', [turn('assistant', c1), hi], 'assistant(c1) user(!c1 "hi")', missing],
    [
      'one of two results',
      [turn('assistant', c1, c2), turn('user', r2)],
      'assistant(c1 c2) user(!c1 =c2)',
      missing,
    ],
    [
      'no result, and a system turn',
      [turn('assistant', c1), turn('system', text('s'))],
      'assistant(c1) user(!c1) system("s")',
      missing,
    ],
    [
      'no result, and open calls at the end',
      [turn('assistant', c1), hi, turn('assistant', c2)],
      'assistant(c1) user(!c1 "hi") assistant(c2)',
      missing,
    ],
    [
      'a result without a call',
      [turn('user', r1, text('hi'))],
      'user("[Result of the tool call c1]" "answer to c1" "hi")',
      stray,
    ],
    [
      'a result before its call',
      [turn('user', r1), turn('assistant', c1)],
      'user("[Result of the tool call c1]" "answer to c1") assistant(c1)',
      stray,
    ],
    [
      'a second result with other content',
      [turn('assistant', c1), turn('user', r1, result('c1', { name: 'f', parts: [] }))],
      'assistant(c1) user(=c1 "[Result of the tool call c1 of f]")',
      stray,
    ],
  ]
  test.each(lossy)(
    '%s: a warning, and refused by a strict group',
    (_, turns, expected, warnings) => {
      const notes = lenient()
      expect(brief(answerCalls(requestOf({ turns }), notes).turns)).toBe(expected)
      expect(notes.warnings).toEqual(warnings)
      expect(() => answerCalls(requestOf({ turns }), strict())).toThrow('messages')
    },
  )

  test('a missing result is replaced by a notice, under the name of its call', () => {
    const turns = [turn('assistant', call('c1', 'patch', { form: 'custom' })), hi]
    expect(answerCalls(requestOf({ turns }), lenient()).turns[1]?.parts[0]).toEqual({
      type: 'tool-result',
      callId: 'c1',
      name: 'patch',
      form: 'custom',
      parts: [{ type: 'text', text: 'no result provided' }],
      isError: true,
    })
  })

  test('a second run changes nothing', () => {
    for (const [, turns] of [...moved, ...lossy]) {
      const once = answerCalls(requestOf({ turns }), lenient())
      expect(answerCalls(once, strict())).toBe(once)
    }
  })
})
