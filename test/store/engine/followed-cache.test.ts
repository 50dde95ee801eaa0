import { describe, expect, test } from 'bun:test'
import { FollowedCache, LookupsFull } from '../../../src/store/changes/followed-cache.ts'
import { failureOf } from '../../support/store/failure-of.ts'

/** A cache over a database whose answers the test releases one by one. */
function openFixture(limits: { entriesMax?: number; lookupsMax?: number } = {}) {
  const asked: { id: string; answer: (value: string | undefined) => void; fail: () => void }[] = []
  const cache = new FollowedCache<string>({
    entriesMax: limits.entriesMax ?? 10,
    lookupsMax: limits.lookupsMax ?? 10,
    load: (id) =>
      new Promise((resolve, reject) => {
        asked.push({ id, answer: resolve, fail: () => reject(new Error('database gone')) })
      }),
  })
  const answerLast = (value: string | undefined) => asked.at(-1)?.answer(value)
  return { cache, asked, answerLast }
}

describe('followed cache', () => {
  test('a value is looked up once and then cached', async () => {
    const { cache, asked, answerLast } = openFixture()
    const first = cache.get('a')
    answerLast('A')
    expect(await first).toBe('A')
    expect(cache.get('a')).toBe('A')
    expect(asked).toHaveLength(1)
  })

  test('concurrent callers share one look-up', async () => {
    const { cache, asked, answerLast } = openFixture()
    const several = [cache.get('a'), cache.get('a'), cache.get('a')]
    answerLast('A')
    for (const each of several) expect(await each).toBe('A')
    expect(asked).toHaveLength(1)
  })

  test('an absent value is cached as absent until a change announces it', async () => {
    const { cache, asked, answerLast } = openFixture()
    const first = cache.get('a')
    answerLast(undefined)
    expect(await first).toBeUndefined()
    expect(cache.get('a')).toBeUndefined()
    expect(asked).toHaveLength(1)
    cache.forget((value) => value === undefined)
    const second = cache.get('a')
    answerLast('A')
    expect(await second).toBe('A')
  })

  test('a change evicts only the affected values', () => {
    const { cache, asked } = openFixture()
    cache.set('a', 'A')
    cache.set('b', 'B')
    cache.forget((value, id) => id === 'a' && value === 'A')
    expect(cache.get('b')).toBe('B')
    expect(cache.get('a')).toBeInstanceOf(Promise)
    expect(asked.map((each) => each.id)).toEqual(['a'])
  })

  test('a look-up overtaken by a change is not cached', async () => {
    const { cache, asked, answerLast } = openFixture()
    const early = cache.get('a')
    cache.forget(() => false)
    asked[0]?.answer('old')
    expect(await early).toBe('old')
    const late = cache.get('a')
    expect(asked).toHaveLength(2)
    answerLast('new')
    expect(await late).toBe('new')
    expect(cache.get('a')).toBe('new')
  })

  test('a caller after a change never shares a look-up from before the change', async () => {
    const { cache, asked } = openFixture()
    const early = cache.get('a')
    cache.forget(() => false)
    const late = cache.get('a')
    expect(asked).toHaveLength(2)
    asked[1]?.answer('new')
    expect(await late).toBe('new')
    asked[0]?.answer('old')
    expect(await early).toBe('old')
    expect(cache.get('a')).toBe('new')
  })

  test('a failed look-up is reported and not cached', async () => {
    const { cache, asked, answerLast } = openFixture()
    const first = Promise.resolve(cache.get('a'))
    asked[0]?.fail()
    expect(await failureOf(first)).toBe('database gone')
    const second = cache.get('a')
    answerLast('A')
    expect(await second).toBe('A')
  })

  test('the least recently used entry is evicted', () => {
    const { cache, asked } = openFixture({ entriesMax: 2 })
    cache.set('a', 'A')
    cache.set('b', 'B')
    expect(cache.get('a')).toBe('A')
    cache.set('c', 'C')
    expect(cache.get('a')).toBe('A')
    expect(cache.get('c')).toBe('C')
    expect(asked).toHaveLength(0)
    void cache.get('b')
    expect(asked.map((each) => each.id)).toEqual(['b'])
  })

  test('setting a cached value again evicts no entry', () => {
    const { cache, asked } = openFixture({ entriesMax: 2 })
    cache.set('a', 'A')
    cache.set('b', 'B')
    cache.set('a', 'A2')
    expect(cache.get('b')).toBe('B')
    expect(cache.get('a')).toBe('A2')
    expect(asked).toHaveLength(0)
  })

  test('beyond the limit of look-ups the next is rejected at once; cached values are still served', async () => {
    const { cache, asked, answerLast } = openFixture({ lookupsMax: 2 })
    cache.set('known', 'K')
    const running = [cache.get('a'), cache.get('b')]
    const refused = await Promise.resolve(cache.get('c')).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(LookupsFull)
    expect(cache.get('known')).toBe('K')
    expect(asked).toHaveLength(2)
    asked[0]?.answer('A')
    await running[0]
    await Promise.resolve()
    const again = cache.get('c')
    answerLast('C')
    expect(await again).toBe('C')
  })
})
