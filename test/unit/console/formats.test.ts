import { describe, expect, test } from 'bun:test'
import { formatBytes } from '../../../console/src/format/bytes.ts'
import { formatList } from '../../../console/src/format/lists.ts'
import { prettyJson } from '../../../console/src/format/pretty-json.ts'
import {
  formatAgo,
  formatMoment,
  formatRecent,
  formatStep,
} from '../../../console/src/format/times.ts'

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

  test.each([
    [0, 'en', 'just now'],
    [59_999, 'zh', '刚刚'],
    [-5_000, 'en', 'just now'],
    [60_000, 'en', '1 minute ago'],
    [7_200_000, 'zh', '2小时前'],
  ])('%i ms ago in %s', (pastMs, language, wanted) => {
    expect(formatAgo(nowMs - pastMs, language, nowMs)).toBe(wanted)
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

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [256 * 1024 ** 2, '256 MiB'],
  [3 * 1024 ** 3, '3 GiB'],
])('%d bytes', (bytes, wanted) => {
  expect(formatBytes(bytes)).toBe(wanted)
})

describe('JSON with line breaks', () => {
  const values: readonly unknown[] = [
    {},
    [],
    null,
    'a text',
    [{}, [], [[]], { a: {} }],
    { a: [1, -2.5e-7, true], 'b:c': { 'd,"e"': '\\"{[,:]}\\\\' } },
    { line: 'one\ntwo', emoji: '👋', empty: '' },
  ]
  test.each(values.map((value) => [value]))('is indented like JSON.stringify: %j', (value) => {
    expect(prettyJson(JSON.stringify(value), 1_000)).toBe(JSON.stringify(value, null, 2))
  })

  test('keeps numbers and repeated members as they were sent', () => {
    expect(prettyJson(' {"a" : 12345678901234567890,\n"a":1.0}', 1_000)).toBe(
      '{\n  "a": 12345678901234567890,\n  "a": 1.0\n}',
    )
  })

  test.each(['', 'data: {"a":1}\n\n', '{"a":', '{"a":1}{'])('%j is not JSON', (text) => {
    expect(prettyJson(text, 1_000)).toBeUndefined()
  })

  test('stops after the limit, however deep the text is', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000)
    expect((prettyJson(deep, 1_000) ?? '').length).toBeLessThan(2_000)
  })
})
