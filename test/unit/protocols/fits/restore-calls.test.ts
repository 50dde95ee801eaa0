import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Fault } from '../../../../src/core/fault.ts'
import { noUsage } from '../../../../src/core/money/usage.ts'
import { foldReply } from '../../../../src/core/neutral/fold-reply.ts'
import type { ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import type { CallRestore, OriginalTool } from '../../../../src/protocols/fit/call-restore.ts'
import { wrapInput } from '../../../../src/protocols/fit/custom-tool-as-function.ts'
import { restoreCalls } from '../../../../src/protocols/fit/restore-calls.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { repeats } from '../../../support/repeats.ts'

const patch: OriginalTool = { name: 'apply_patch', namespace: 'edit', form: 'custom' }
const search: OriginalTool = { name: 'find.it', namespace: 'docs', form: 'function' }
const originals = new Map([
  ['edit__apply_patch', patch],
  ['docs__find_it_00', search],
])
const restore: CallRestore = { isIdentity: false, originalOf: (name) => originals.get(name) }

function callEvents(name: string, deltas: readonly string[], answer = 0): ReplyEvent[] {
  return [
    { type: 'part-start', answer, part: { type: 'tool-call', id: 'c1', name, form: 'function' } },
    ...deltas.map((text): ReplyEvent => ({ type: 'part-delta', answer, text })),
    { type: 'part-end', answer },
  ]
}

function restored(events: readonly ReplyEvent[]): ReplyEvent[] {
  return events.flatMap(restoreCalls(restore))
}

/** The free text that a client reads when the arguments arrive in these pieces. */
function inputOf(...deltas: string[]): string {
  const [part] =
    foldReply(restored(callEvents('edit__apply_patch', deltas))).answers[0]?.parts ?? []
  return part?.part.type === 'tool-call' ? part.part.argumentsText : ''
}

function deltasOf(events: readonly ReplyEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'part-delta' ? [event.text] : []))
}

function cutAt(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? text.length
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom('\\', '"', '\n', '\\n', '😀', 'é', '{"input":"', '}', 'u0041', '/', '\u2028'),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
)
const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 })

/** The same string with every character escaped. */
function escaped(text: string): string {
  let spelled = ''
  for (let index = 0; index < text.length; index += 1) {
    spelled += `\\u${text.charCodeAt(index).toString(16).padStart(4, '0').toUpperCase()}`
  }
  return `{ "input" :\n"${spelled}" }`
}

describe('restoring calls', () => {
  test('name, namespace and form are the client’s own, id and token stay', () => {
    const opaque = { issuer: 'v', kind: 'signature', data: 's' } as const
    const events = callEvents('docs__find_it_00', ['{"a":', '1}'])
    const head: ReplyEvent = {
      type: 'part-start',
      answer: 0,
      part: { type: 'tool-call', id: 'c7', name: 'docs__find_it_00', form: 'function', opaque },
    }
    expect(restored([head, ...events.slice(1)])).toEqual([
      {
        type: 'part-start',
        answer: 0,
        part: {
          type: 'tool-call',
          id: 'c7',
          name: 'find.it',
          namespace: 'docs',
          form: 'function',
          opaque,
        },
      },
      ...events.slice(1),
    ])
  })

  test('everything else passes as the same objects', () => {
    const events: ReplyEvent[] = [
      { type: 'reply-start', id: 'r', model: 'm' },
      { type: 'part-start', answer: 0, part: { type: 'text' } },
      { type: 'part-delta', answer: 0, text: '{"input":"x"}' },
      { type: 'part-end', answer: 0 },
      ...callEvents('a_tool_nobody_knows', ['{"input":"x"}']),
      { type: 'usage', usage: noUsage },
      { type: 'reply-end', finishes: [{ reason: 'tool-calls', raw: 'x' }] },
      { type: 'fault', fault: new Fault('upstream_error', 'gone') },
    ]
    const after = restored(events)
    expect(after).toHaveLength(events.length)
    after.forEach((event, index) => {
      expect(event).toBe(events[index] as ReplyEvent)
    })
  })

  test('free text comes out whole under any cut, never in half characters', () => {
    fc.assert(
      fc.property(anyText, cuts, fc.boolean(), (text, lengths, isEscaped) => {
        const json = isEscaped ? escaped(text) : wrapInput(text)
        const events = restored(callEvents('edit__apply_patch', cutAt(json, lengths)))
        const deltas = deltasOf(events)
        expect(deltas.join('')).toBe(text)
        for (const delta of deltas) {
          expect(delta).not.toBe('')
          if (text.isWellFormed()) expect(delta.isWellFormed()).toBe(true)
        }
      }),
      { numRuns: repeats(2_000) },
    )
  })

  test('arguments of another shape come out as they are under any cut', () => {
    const shapes = fc.oneof(
      fc.string({ maxLength: 20 }).filter((text) => !text.trimStart().startsWith('{')),
      fc.json().filter((text) => !/^\s*\{.*"input"/s.test(text)),
      fc.constantFrom(
        '',
        '{}',
        '{"input":1}',
        '{"input":["a"]}',
        '{"inputs":"a"}',
        '{"inp',
        '{"input":',
        '{"input":nul',
        '{',
        ' {',
        '"input"',
        '*** Begin Patch',
      ),
    )
    fc.assert(
      fc.property(shapes, cuts, (text, lengths) => {
        expect(inputOf(...cutAt(text, lengths))).toBe(text)
      }),
      { numRuns: repeats(1_000) },
    )
  })

  const rows: [string, string[], string][] = [
    ['input is not the first member', ['{"note":1,"in', 'put":"a\\n"}'], 'a\n'],
    ['the name is spelled with escapes', ['{"\\u0069nput":"a"}'], 'a'],
    ['more members follow', ['{"input":"a","note":"b"}'], 'a'],
    ['cut off by the token limit', ['{"input":"ab', 'c'], 'abc'],
    ['cut off inside an escape sequence', ['{"input":"ab\\'], 'ab'],
    ['cut off inside an escaped surrogate pair', ['{"input":"a\\uD83D', '\\uDE'], 'a\ud83d'],
    ['a line break that should have been escaped', ['{"input":"a\nb"}'], 'a\nb'],
    ['an invalid escape sequence', ['{"input":"\\x\\u12G4"}'], '\\x\\u12G4'],
    ['empty', ['{"input":""}'], ''],
  ]
  test.each(rows)('%s', (_, deltas, expected) => {
    expect(inputOf(...deltas)).toBe(expected)
    expect(inputOf(...cutAt(deltas.join(''), [1]))).toBe(expected)
  })

  test('text is sent as soon as it is known, not only at the end', () => {
    const map = restoreCalls(restore)
    const seen = callEvents('edit__apply_patch', [
      '{"in',
      'put": "*** Be',
      'gin\\',
      'nPatch", "x":1',
      '}',
    ]).map((event) => deltasOf(map(event)).join(''))
    expect(seen).toEqual(['', '', '*** Be', 'gin', '\nPatch', '', ''])
  })

  test('two answers at once do not mix', () => {
    const [start0, delta0, end0] = callEvents('edit__apply_patch', ['{"input":"one"}'], 0)
    const [start1, delta1, end1] = callEvents('docs__find_it_00', ['{"input":"two"}'], 1)
    const events = [start0, start1, delta1, delta0, end1, end0].filter(
      (event) => event !== undefined,
    )
    const { answers } = foldReply(restored(events))
    expect(answers[0]?.parts[0]?.part).toMatchObject({ form: 'custom', argumentsText: 'one' })
    expect(answers[1]?.parts[0]?.part).toMatchObject({
      form: 'function',
      argumentsText: '{"input":"two"}',
    })
  })

  test('a call that the upstream made in the custom form is not unwrapped', () => {
    const events: ReplyEvent[] = [
      {
        type: 'part-start',
        answer: 0,
        part: { type: 'tool-call', id: 'c', name: 'edit__apply_patch', form: 'custom' },
      },
      { type: 'part-delta', answer: 0, text: '{"input":"x"}' },
      { type: 'part-end', answer: 0 },
    ]
    expect(deltasOf(restored(events))).toEqual(['{"input":"x"}'])
  })
})
