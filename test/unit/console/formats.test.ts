import { describe, expect, test } from 'bun:test'
import { formatList } from '../../../console/src/format/lists.ts'
import { formatMoment, formatRecent, formatStep } from '../../../console/src/format/times.ts'

const nowMs = new Date(2026, 10, 16, 23, 30).getTime()

describe('times have 24 hours, from 00 to 23', () => {
  test.each([
    ['just after midnight', new Date(2026, 10, 16, 0, 5, 7), 'en', '00:05:07'],
    ['in the evening', new Date(2026, 10, 16, 21, 5, 7), 'en', '21:05:07'],
    ['of another day', new Date(2026, 10, 15, 0, 5, 7), 'en', 'Nov 15, 00:05:07'],
    ['of another year', new Date(2025, 10, 15, 0, 5, 7), 'en', 'Nov 15, 2025, 00:05:07'],
    ['just after midnight', new Date(2026, 10, 16, 0, 5, 7), 'zh', '00:05:07'],
    ['of another year', new Date(2025, 10, 15, 0, 5, 7), 'zh', '2025年11月15日 00:05:07'],
  ])('a recent time %s', (_name, at, language, wanted) => {
    expect(formatRecent(at.getTime(), language, nowMs)).toBe(wanted)
  })

  test.each([
    [new Date(2026, 10, 16, 0, 5, 7), 'en', 'Nov 16, 2026, 00:05:07'],
    [new Date(2026, 10, 16, 21, 5, 7), 'en', 'Nov 16, 2026, 21:05:07'],
    [new Date(2026, 10, 16, 0, 5, 7), 'zh', '2026年11月16日 00:05:07'],
  ])('a moment: %p in %s', (at, language, wanted) => {
    expect(formatMoment(at.getTime(), language)).toBe(wanted)
  })

  test('a step of a chart', () => {
    const atMs = new Date(2026, 10, 16, 0, 5).getTime()
    expect(formatStep(atMs, 'minutes', 'en')).toBe('Nov 16, 00:05')
    expect(formatStep(atMs, 'hour', 'zh')).toBe('11月16日 00:05')
  })
})

test.each([
  ['en', ['Name', 'Scopes', 'Account'], 'Name, Scopes, Account'],
  ['zh', ['名称', '权限范围', '账户'], '名称、权限范围、账户'],
  ['zh', ['名称'], '名称'],
  ['en', [], ''],
])('a list in %s: %p', (language, parts, wanted) => {
  expect(formatList(parts, language)).toBe(wanted)
})
