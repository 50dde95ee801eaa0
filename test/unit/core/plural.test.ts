import { describe, expect, test } from 'bun:test'
import { limitCell } from '../../../src/cli/limit-text.ts'
import { plural } from '../../../src/core/text/plural.ts'

describe('a count with its noun', () => {
  test.each([
    [0, 'entry', 'entries', '0 entries'],
    [1, 'entry', 'entries', '1 entry'],
    [2, 'entry', 'entries', '2 entries'],
    [1, 'row', undefined, '1 row'],
    [21, 'row', undefined, '21 rows'],
  ] as const)('%i %s', (count, one, many, text) => {
    expect(plural(count, one, many)).toBe(text)
  })

  test('limits of one', () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: 1, concurrentRequests: 1 }
    expect(limitCell(limits)).toBe('1 request/min, 1 token/min, 1 at once')
  })
})
