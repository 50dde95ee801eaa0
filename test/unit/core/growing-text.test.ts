import { describe, expect, test } from 'bun:test'
import { GrowingText } from '../../../src/core/runtime/growing-text.ts'

const rows: [string, readonly string[]][] = [
  ['nothing', []],
  ['empty pieces', ['', 'a', '', 'b']],
  ['very many small pieces', Array.from({ length: 20_000 }, (_, index) => `${index % 10} `)],
  ['pieces longer than a chunk', ['x'.repeat(100_000), '🌍', 'y'.repeat(40_000)]],
  ['halves of a surrogate pair', ['a\ud83c', '\udf0d', 'b']],
]

describe('a text in pieces', () => {
  test.each(rows)('%s: the text equals the joined pieces', (_, pieces) => {
    const text = new GrowingText()
    for (const piece of pieces) text.add(piece)
    const whole = pieces.join('')
    expect(text.length).toBe(whole.length)
    expect(text.isStartOf(whole)).toBe(true)
    expect(text.isStartOf(`${whole}!`)).toBe(true)
    expect(text.isStartOf(whole.slice(0, -1))).toBe(whole === '')
    expect(text.isStartOf(`${whole.slice(0, -1)}#`)).toBe(whole === '')
    expect(text.toString()).toBe(whole)
    text.add('more')
    expect(text.toString()).toBe(`${whole}more`)
  })
})
