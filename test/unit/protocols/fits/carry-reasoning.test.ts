import { describe, expect, test } from 'bun:test'
import type { Opaque, Part, ReasoningPart } from '../../../../src/core/neutral/model-request.ts'
import type { PartHead, ReplyEvent } from '../../../../src/core/neutral/reply-event.ts'
import {
  reasoningOfReply,
  restoreReasoning,
} from '../../../../src/protocols/fit/carry-reasoning.ts'
import { call, requestOf, result, text, turn } from './build-request.ts'

const token = (data: string): Opaque => ({ issuer: 'vendor/family', kind: 'signature', data })
const thought = (words: string, opaque?: Opaque): ReasoningPart => ({
  type: 'reasoning',
  text: words,
  opaque,
})

function part(head: PartHead, words: string, opaque?: Opaque): ReplyEvent[] {
  return [
    { type: 'part-start', answer: 0, part: head },
    { type: 'part-delta', answer: 0, text: words },
    { type: 'part-end', answer: 0, opaque },
  ]
}

const callHead = (id: string): PartHead => ({ type: 'tool-call', id, name: 'f', form: 'function' })

describe('the reasoning of a reply', () => {
  test('belongs to the next call, and to no other', () => {
    const carried = reasoningOfReply([
      { type: 'reply-start', id: 'r', model: 'm' },
      ...part({ type: 'reasoning' }, 'first', token('s1')),
      ...part({ type: 'text' }, 'so'),
      ...part(callHead('c1'), '{}'),
      ...part(callHead('c2'), '{}'),
      ...part({ type: 'reasoning' }, 'unsigned'),
      ...part(callHead('c3'), '{}', token('on the call')),
      ...part({ type: 'reasoning' }, 'after the last call', token('s4')),
    ])
    expect([...carried]).toEqual([
      ['c1', { reasoning: [thought('first', token('s1'))], opaque: undefined }],
      ['c3', { reasoning: [], opaque: token('on the call') }],
    ])
  })

  test('for a vendor without tokens it is the text', () => {
    const carried = reasoningOfReply([
      { type: 'reply-start', id: 'r', model: 'm' },
      ...part({ type: 'reasoning' }, 'first'),
      ...part({ type: 'text' }, 'so'),
      ...part(callHead('c1'), '{}'),
      ...part({ type: 'reasoning' }, ''),
      ...part(callHead('c2'), '{}'),
    ])
    expect([...carried]).toEqual([['c1', { reasoning: [thought('first')], opaque: undefined }]])
  })

  test('of a reply without calls nothing is kept', () => {
    expect(reasoningOfReply(part({ type: 'reasoning' }, 'a', token('s'))).size).toBe(0)
  })
})

describe('restoring lost reasoning', () => {
  const remembered = new Map([
    ['c1', { reasoning: [thought('one', token('s1'))] }],
    ['c2', { reasoning: [thought('two', token('s2'))], opaque: token('on c2') }],
    ['c3', { reasoning: [], opaque: token('on c3') }],
    ['c4', { reasoning: [thought('plain')] }],
  ])
  const find = (callId: string) => remembered.get(callId)
  const c1 = call('c1', 'f')
  const c2 = call('c2', 'f')
  const c3 = call('c3', 'f')
  const c4 = call('c4', 'f')

  const rows: [string, Part[], Part[]][] = [
    ['is inserted before the call', [c1], [thought('one', token('s1')), c1]],
    [
      'is inserted before the text of the step',
      [text('so'), c1],
      [thought('one', token('s1')), text('so'), c1],
    ],
    [
      'goes to its own call',
      [c1, c2],
      [
        thought('one', token('s1')),
        c1,
        thought('two', token('s2')),
        { ...c2, opaque: token('on c2') },
      ],
    ],
    [
      'a token returns to the call itself',
      [text('so'), c3],
      [text('so'), { ...c3, opaque: token('on c3') }],
    ],
    [
      'replaces the same reasoning without a signature',
      [thought('one'), c1],
      [thought('one', token('s1')), c1],
    ],
    [
      'leaves unsigned reasoning where only the call has a token',
      [thought('hm'), c3],
      [thought('hm'), { ...c3, opaque: token('on c3') }],
    ],
    [
      'adds the text to a token that came back alone',
      [thought('', token('s1')), text('so'), c1],
      [thought('one', token('s1')), text('so'), c1],
    ],
    ['restores unsigned text', [text('so'), c4], [thought('plain'), text('so'), c4]],
  ]
  test.each(rows)('%s', (_, parts, expected) => {
    const request = requestOf({ turns: [turn('assistant', ...parts), turn('user', result('c1'))] })
    const after = restoreReasoning(request, find, true)
    expect(after.turns[0]?.parts).toEqual(expected)
    expect(after.turns[1]).toBe(request.turns[1])
    expect(restoreReasoning(after, find, true)).toBe(after)
  })

  const left: [string, Part[]][] = [
    ['a turn with its own reasoning', [thought('mine', token('own')), c1]],
    ['a call with its own token', [call('c1', 'f', { opaque: token('own') })]],
    ['an unknown token', [thought('', token('own')), c1]],
    ['a turn with its own reasoning text', [thought('mine'), c4]],
    ['an unknown call', [call('c9', 'f')]],
    ['a turn without calls', [text('hi')]],
  ]
  test.each(left)('%s stays unchanged', (_, parts) => {
    const request = requestOf({ turns: [turn('assistant', ...parts)] })
    expect(restoreReasoning(request, find, true)).toBe(request)
  })
  test('unsigned reasoning is not sent to an upstream that does not accept it', () => {
    const request = requestOf({ turns: [turn('assistant', text('so'), c4)] })
    expect(restoreReasoning(request, find, false)).toBe(request)
  })
})
