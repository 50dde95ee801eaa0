import { describe, expect, test } from 'bun:test'
import type { PartHead, ReplyEvent } from '../../../src/core/neutral/reply-event.ts'
import { ReplyReader } from '../../../src/gateway/reply/reply-reader.ts'
import { reasoningOfReply } from '../../../src/protocols/fit/carry-reasoning.ts'

const many = 100_000
const call: PartHead = { type: 'tool-call', id: 'c', name: 'f', form: 'function' }
const opaque = { issuer: 'i', kind: 'signature', data: 'd' } as const

function start(answer: number, part: PartHead): ReplyEvent {
  return { type: 'part-start', answer, part }
}

function delta(answer: number, text: string): ReplyEvent {
  return { type: 'part-delta', answer, text }
}

function readerOf(...events: readonly ReplyEvent[]): ReplyReader {
  const reader = new ReplyReader()
  for (const event of events) reader.note(event)
  return reader
}

describe('the remembered part of a reply', () => {
  test('reasoning in very many pieces is one complete value', () => {
    const pieces = Array.from({ length: many }, () => delta(0, 'ab'))
    const { remembered } = readerOf(
      start(0, { type: 'reasoning' }),
      ...pieces,
      { type: 'part-end', answer: 0, opaque },
      start(0, call),
      delta(0, '{}'),
      { type: 'part-end', answer: 0 },
    )
    expect(remembered.length).toBeLessThan(10)
    const text = 'ab'.repeat(many)
    expect(reasoningOfReply(remembered).get('c')?.reasoning).toEqual([
      { type: 'reasoning', text, opaque },
    ])
  })

  test('reasoning of two concurrent answers stays separate', () => {
    const { remembered } = readerOf(
      start(0, { type: 'reasoning' }),
      start(1, { type: 'reasoning' }),
      delta(0, 'a'),
      delta(1, 'x'),
      delta(0, 'b'),
      { type: 'part-end', answer: 0, opaque },
      delta(1, 'y'),
      { type: 'part-end', answer: 1, opaque },
      start(0, call),
      { type: 'part-end', answer: 0 },
      start(1, { ...call, id: 'e' }),
      { type: 'part-end', answer: 1 },
    )
    const found = reasoningOfReply(remembered)
    expect(found.get('c')?.reasoning[0]?.text).toBe('ab')
    expect(found.get('e')?.reasoning[0]?.text).toBe('xy')
  })

  test('reasoning that is too long is not remembered, nor anything next to it', () => {
    const { remembered } = readerOf(
      start(0, { type: 'reasoning' }),
      delta(0, 'a'.repeat(500_000)),
      delta(0, 'a'.repeat(100_000)),
      { type: 'part-end', answer: 0, opaque },
      start(0, call),
      { type: 'part-end', answer: 0 },
    )
    expect(remembered).toEqual([])
  })

  test('a reply without a reader is not remembered', () => {
    const reader = readerOf(start(0, { type: 'reasoning' }), delta(0, 'a'))
    reader.abandon()
    for (const event of [delta(0, 'b'), { type: 'part-end', answer: 0, opaque } as const]) {
      reader.note(event)
    }
    expect(reader.remembered).toEqual([])
  })
})
