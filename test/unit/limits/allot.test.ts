import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { allot } from '../../../src/limits/allot.ts'

const counts = fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 12 })
const limits = fc.integer({ min: 1, max: 100_000 })

function partsOf(limit: number, demands: readonly number[]): number[] {
  const parts = allot(
    limit,
    demands.map((count, index) => ({ replica: `r${index}`, count })),
  )
  return demands.map((_, index) => parts.get(`r${index}`) ?? Number.NaN)
}

describe('the parts of a limit', () => {
  test('are whole, never negative, and together exactly the limit', () => {
    fc.assert(
      fc.property(limits, counts, (limit, demands) => {
        const parts = partsOf(limit, demands)
        for (const part of parts) {
          expect(Number.isInteger(part)).toBe(true)
          expect(part).toBeGreaterThanOrEqual(0)
        }
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(limit)
      }),
    )
  })

  test('contain what is in use, and the rest of the limit is divided', () => {
    const uses = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), uses, (limit, replicas) => {
        const given = replicas.map(([occupied, more], index) => {
          return { replica: `r${index}`, count: occupied + more, occupied }
        })
        const parts = allot(limit, given)
        const kept = given.reduce((sum, { occupied }) => sum + occupied, 0)
        for (const { replica, occupied } of given)
          expect(parts.get(replica)).toBeGreaterThanOrEqual(occupied)
        const sum = [...parts.values()].reduce((total, part) => total + part, 0)
        expect(sum).toBe(Math.max(limit, kept))
      }),
    )
  })

  test('do not depend on the order in which processes are listed', () => {
    fc.assert(
      fc.property(limits, counts, (limit, demands) => {
        const listed = demands.map((count, index) => ({ replica: `r${index}`, count }))
        const reversed = allot(limit, listed.toReversed())
        const parts = allot(limit, listed)
        for (const { replica } of listed) expect(reversed.get(replica)).toBe(parts.get(replica))
      }),
    )
  })

  test('stay the same while every demand exceeds the limit, since a part that moves begins empty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), counts, (limit, more) => {
        const demands = more.map((count) => limit + count)
        const equal = more.map(() => limit)
        expect(partsOf(limit, demands)).toEqual(partsOf(limit, equal))
      }),
    )
  })

  test.each([
    { name: 'no demand: equal parts', limit: 30, demands: [0, 0, 0], parts: [10, 10, 10] },
    {
      name: 'a remainder that cannot be split goes to one of them',
      limit: 20,
      demands: [0, 0, 0],
      parts: [7, 7, 6],
    },
    {
      name: 'only one has demand: it gets everything',
      limit: 20,
      demands: [500, 0, 0],
      parts: [20, 0, 0],
    },
    {
      name: 'two with too much demand: half each',
      limit: 20,
      demands: [500, 40, 0],
      parts: [10, 10, 0],
    },
    { name: 'a small demand is met in full', limit: 20, demands: [500, 2, 0], parts: [18, 2, 0] },
    { name: 'fewer units than processes', limit: 1, demands: [0, 9, 0], parts: [0, 1, 0] },
    { name: 'a single process', limit: 7, demands: [3], parts: [7] },
  ])('$name', ({ limit, demands, parts }) => {
    expect(partsOf(limit, demands)).toEqual([...parts])
  })

  test('a process with a fitting demand gets at least this demand, and most of the rest', () => {
    const [busy = 0, idle = 0] = partsOf(1_000, [500, 0, 0])
    expect(busy).toBeGreaterThan(900)
    expect(idle).toBeGreaterThan(0)
  })
})
