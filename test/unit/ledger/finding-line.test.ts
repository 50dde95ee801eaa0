import { describe, expect, test } from 'bun:test'
import { findingLine, sortFindings } from '../../../src/ledger/audit/finding-line.ts'

describe('findings of the self-audit', () => {
  test.each([
    ['credit', 'acme', 1n, 'account acme: credits differ by 0.000000001 US$ from '],
    ['quota', 'a: b', -1_500_000_000n, 'key a: b: the quota differs by -1.50 US$ from '],
    ['entries', 'key_1', 2_000_000_000n, 'key key_1: the amount spent differs by 2.00 US$ from '],
  ] as const)('a line of %s', (kind, id, differenceNano, line) => {
    expect(findingLine({ kind, id, differenceNano })).toStartWith(line)
  })

  test('a text of an earlier version stays unchanged', () => {
    const line = 'account acme: something new'
    expect(findingLine({ kind: null, line })).toBe(line)
  })

  test('the account first, then each key', () => {
    const found = [
      { kind: 'entries', id: 'b', differenceNano: 1n },
      { kind: 'quota', id: 'a', differenceNano: 1n },
      { kind: 'credit', id: 'z', differenceNano: 1n },
      { kind: 'entries', id: 'a', differenceNano: 1n },
    ] as const
    expect(sortFindings(found).map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'credit z',
      'entries a',
      'quota a',
      'entries b',
    ])
  })
})
