import { describe, expect, test } from 'bun:test'
import { findingLine, readFindingLine } from '../../../src/ledger/finding-line.ts'

describe('what the self-audit has found', () => {
  test.each([
    ['credit', 'acme', 1n],
    ['quota', 'key: of, odd names', -1_500_000_000n],
    ['entries', 'key_1', 9_223_372_036_854_775_807n],
  ] as const)('a line of %s is read as it was written', (kind, id, differenceNano) => {
    const finding = { kind, id, differenceNano }
    expect(readFindingLine(findingLine(finding))).toEqual(finding)
  })

  test('a line of another version is not guessed at', () => {
    expect(readFindingLine('account acme: something new')).toBeUndefined()
    expect(readFindingLine('account acme: credits differ by much US$ from x')).toBeUndefined()
  })
})
