import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { TextMeter } from '../../../src/protocols/measure/text-meter.ts'

function measure(pieces: readonly string[]): number {
  const meter = new TextMeter()
  for (const piece of pieces) meter.add(piece)
  return meter.tokens()
}

describe('text meter', () => {
  test('empty text has no tokens', () => {
    expect(measure([])).toBe(0)
    expect(measure(['', ''])).toBe(0)
  })

  test('the pieces in which a text arrives do not matter', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 3_000 }), { maxLength: 8 }),
        (pieces) => {
          expect(measure(pieces)).toBe(measure([pieces.join('')]))
        },
      ),
    )
  })

  test('a reading in between does not change the sum', () => {
    const meter = new TextMeter()
    for (let index = 0; index < 500; index += 1) {
      meter.add('some words ')
      meter.tokens()
    }
    expect(meter.tokens()).toBe(measure(['some words '.repeat(500)]))
  })

  test('more text never has fewer tokens, and much more text has more', () => {
    const meter = new TextMeter()
    let last = 0
    for (let index = 0; index < 40; index += 1) {
      meter.add('lorem ipsum dolor sit amet, consectetur adipiscing elit '.repeat(20))
      expect(meter.tokens()).toBeGreaterThan(last)
      last = meter.tokens()
    }
  })

  test('a text without any break is measured in bounded pieces', () => {
    expect(measure(['漢'.repeat(200_000)])).toBeGreaterThan(50_000)
    expect(measure(['x'.repeat(1_000_000)])).toBeGreaterThan(1_000)
  })
})
