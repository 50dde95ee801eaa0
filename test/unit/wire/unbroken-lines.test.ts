import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { unbrokenLines } from '../../../src/wire/unbroken-lines.ts'

describe('lines of JSON', () => {
  test.each([
    ['plain text', 'data: {"a":"b"}\n\n', 'data: {"a":"b"}\n\n'],
    ['a next-line character', '{"a":"x\u0085y"}', '{"a":"x\\u0085y"}'],
    ['line and paragraph separators', '{"\u2028":"\u2029"}', '{"\\u2028":"\\u2029"}'],
    ['a separator after an escaped backslash', '"\\\\\u2028"', '"\\\\\\u2028"'],
  ])('%s', (_, lines, expected) => {
    expect(unbrokenLines(lines)).toBe(expected)
  })

  test('any value stays the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\\', '"', '\u0085', '\u2028', '\u2029') })
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const lines = unbrokenLines(JSON.stringify(value))
        expect(lines).not.toMatch(/[\u0085\u2028\u2029]/)
        expect(JSON.parse(lines)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
