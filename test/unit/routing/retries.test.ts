import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RetryBudget } from '../../../src/routing/retry-budget.ts'
import { backOffMs } from '../../../src/routing/retry-rules.ts'
import { StickyMemory } from '../../../src/routing/sticky-memory.ts'

describe('the budget of retries', () => {
  const step = fc.record({
    waitMs: fc.nat({ max: 3_000 }),
    requests: fc.nat({ max: 200 }),
    retriesWanted: fc.nat({ max: 200 }),
  })

  test('never more than a tenth of the requests, three per second, and the saved retries', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const budget = new RetryBudget()
        let nowMs = 1_000
        budget.take(nowMs)
        let requests = 0
        let retries = 1
        for (const { waitMs, requests: more, retriesWanted } of steps) {
          nowMs += waitMs
          for (let each = 0; each < more; each += 1) budget.deposit()
          requests += more
          for (let each = 0; each < retriesWanted; each += 1) if (budget.take(nowMs)) retries += 1
          const most = 100 + requests * 0.1 + ((nowMs - 1_000) / 1_000) * 3
          expect(retries).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    )
  })

  test('used retries come back with time and with requests', () => {
    const budget = new RetryBudget()
    while (budget.take(1_000)) {}
    expect(budget.take(1_333)).toBe(false)
    expect(budget.take(1_400)).toBe(true)
    expect(budget.take(1_400)).toBe(false)
    for (let each = 0; each < 10; each += 1) budget.deposit()
    expect(budget.take(1_400)).toBe(true)
  })
})

describe('the wait before a retry', () => {
  test.each([
    [0, 50],
    [1, 100],
    [3, 400],
    [20, 2_000],
  ])('the %dth: anything up to %d ms', (retry, most) => {
    expect(backOffMs(retry, () => 0)).toBe(0)
    expect(backOffMs(retry, () => 0.5)).toBe(most / 2)
    expect(backOffMs(retry, () => 1)).toBe(most)
  })
})

describe('the target of a conversation', () => {
  const place = (upstreamId: string) => ({ upstreamId, credentialId: 'x' })
  const hour = 60 * 60_000

  test('is known for an hour after the last answer', () => {
    const memory = new StickyMemory()
    memory.keep('a', place('one'), 0)
    expect(memory.find('a', hour - 1)).toMatchObject(place('one'))
    memory.keep('a', place('one'), hour - 1)
    expect(memory.find('a', 2 * hour - 2)).toMatchObject(place('one'))
    expect(memory.find('a', 2 * hour - 1)).toBeUndefined()
  })

  test('is the last one', () => {
    const memory = new StickyMemory()
    memory.keep('a', place('one'), 0)
    memory.keep('a', place('two'), 1)
    expect(memory.find('a', 2)).toMatchObject(place('two'))
    expect(memory.find('b', 2)).toBeUndefined()
  })

  test('is forgotten first for the least recently used conversation', () => {
    const memory = new StickyMemory()
    for (let each = 0; each < 20_000; each += 1) memory.keep(`c${each}`, place('one'), each)
    memory.keep('c0', place('one'), 20_000)
    memory.keep('new', place('two'), 20_001)
    expect(memory.find('c0', 20_002)).toBeDefined()
    expect(memory.find('c1', 20_002)).toBeUndefined()
    expect(memory.find('new', 20_002)).toBeDefined()
  })
})
