import { describe, expect, test } from 'bun:test'
import type { LimitHeader, LimitHeaders, RateLevels } from '../../../src/core/limits/rate-limit.ts'
import { HeadersCache } from '../../../src/http-in/headers-cache.ts'

function answer(
  kept: HeadersCache,
  given: Record<string, string>,
  limits?: LimitHeaders,
): Response {
  return new Response('body', { headers: kept.of(given, limits) })
}

const textOf = (value: number): string => `${value}!`
const limitOf = ({ requests }: RateLevels) => requests?.limit
const leftOf = ({ tokens }: RateLevels) => tokens?.remaining
const limitHeaders: readonly LimitHeader[] = [
  { name: 'x-limit', valueOf: limitOf, textOf: String },
  { name: 'x-left', valueOf: leftOf, textOf },
]
const otherHeaders: readonly LimitHeader[] = [
  { name: 'x-limit', valueOf: limitOf, textOf },
  { name: 'x-other', valueOf: leftOf, textOf: String },
]

function levelsOf(limit: number | undefined, left: number | undefined): RateLevels {
  const level = { limit: 1, remaining: 1, fullInMs: 0 }
  return {
    requests: limit === undefined ? undefined : { ...level, limit },
    tokens: left === undefined ? undefined : { ...level, remaining: left },
  }
}

function sent(response: Response): Record<string, string> {
  return Object.fromEntries(response.headers)
}

describe('kept headers', () => {
  test('every response has its own values, also while an earlier one is not sent yet', () => {
    const kept = new HeadersCache(() => 0)
    const all = ['1', '2', '2', '1', ''].map((id) => ({ 'content-type': 'text/plain', 'x-id': id }))
    const responses = all.map((given) => answer(kept, given))
    expect(responses.map(sent)).toEqual(all)
  })

  test('a change of a response reaches no other', () => {
    const kept = new HeadersCache(() => 0)
    const first = answer(kept, { 'content-type': 'text/plain', 'x-id': '1' })
    first.headers.set('x-id', 'changed')
    first.headers.set('connection', 'close')
    const second = answer(kept, { 'content-type': 'text/plain', 'x-id': '1' })
    expect(sent(second)).toEqual({ 'content-type': 'text/plain', 'x-id': '1' })
  })

  test.each([
    { title: 'fewer names', given: { 'content-type': 'text/plain' } },
    { title: 'more names', given: { 'content-type': 'text/plain', 'x-id': '2', 'x-warning': 'w' } },
    { title: 'another name in the middle', given: { 'x-cost': '1', 'x-id': '2' } },
    { title: 'another order', given: { 'x-id': '2', 'content-type': 'text/html' } },
  ])('$title: nothing of the previous response', ({ given }) => {
    const kept = new HeadersCache(() => 0)
    answer(kept, { 'content-type': 'text/plain', 'x-id': '1' })
    expect(sent(answer(kept, { 'content-type': 'text/plain', ...given }))).toEqual({
      'content-type': 'text/plain',
      ...given,
    })
    const before = { 'content-type': 'text/plain', 'x-id': '3' }
    expect(sent(answer(kept, before))).toEqual(before)
  })

  test.each<{ title: string; limits: LimitHeaders | undefined; own: Record<string, string> }>([
    {
      title: 'other values',
      limits: { headers: limitHeaders, levels: levelsOf(9, 4) },
      own: { 'x-limit': '9', 'x-left': '4!' },
    },
    {
      title: 'one value is missing',
      limits: { headers: limitHeaders, levels: levelsOf(undefined, 8) },
      own: { 'x-left': '8!' },
    },
    {
      title: 'no value',
      limits: { headers: limitHeaders, levels: levelsOf(undefined, undefined) },
      own: {},
    },
    { title: 'no limits', limits: undefined, own: {} },
    {
      title: 'the headers of another protocol',
      limits: { headers: otherHeaders, levels: levelsOf(9, 7) },
      own: { 'x-limit': '9!', 'x-other': '7' },
    },
  ])('limits, $title: nothing of the response before', ({ limits, own }) => {
    const kept = new HeadersCache(() => 0)
    const given = { 'content-type': 'text/plain', 'x-id': '1' }
    const first = { headers: limitHeaders, levels: levelsOf(9, 8) }
    const before = { ...given, 'x-limit': '9', 'x-left': '8!' }
    expect(sent(answer(kept, given, first))).toEqual(before)
    expect(sent(answer(kept, given, limits))).toEqual({ ...given, ...own })
    expect(sent(answer(kept, given, first))).toEqual(before)
  })

  test('the same levels again are not read again', () => {
    let reads = 0
    const counted: readonly LimitHeader[] = [
      { name: 'x-limit', valueOf: () => (reads += 1), textOf: String },
    ]
    const kept = new HeadersCache(() => 0)
    const levels = levelsOf(9, 8)
    const values = ['1', '2', '3'].map((id) =>
      sent(answer(kept, { 'x-id': id }, { headers: counted, levels })),
    )
    expect(values).toEqual(['1', '2', '3'].map((id) => ({ 'x-id': id, 'x-limit': '1' })))
    expect(
      sent(answer(kept, { 'x-id': '4' }, { headers: counted, levels: levelsOf(9, 8) })),
    ).toEqual({ 'x-id': '4', 'x-limit': '2' })
  })

  test('more lists of names than the limit', () => {
    const kept = new HeadersCache(() => 0)
    for (const round of ['1', '2']) {
      for (let list = 0; list < 50; list += 1) {
        const given = { 'content-type': 'text/plain', [`x-${list}`]: round }
        expect(sent(answer(kept, given))).toEqual(given)
      }
    }
  })

  test('after a value that is not allowed, the next response has its own values', () => {
    const kept = new HeadersCache(() => 0)
    answer(kept, { 'x-first': '1', 'x-second': '1', 'x-third': '1' })
    const forbidden = { 'x-first': '2', 'x-second': '2\r\nx-injected: 1', 'x-third': '2' }
    // The same value is refused again: it never counts as the value of the last response.
    expect(() => kept.of(forbidden, undefined)).toThrow()
    expect(() => kept.of(forbidden, undefined)).toThrow()
    const given = { 'x-first': '1', 'x-second': '1', 'x-third': '2' }
    expect(sent(answer(kept, given))).toEqual(given)
  })
})
