import { describe, expect, test } from 'bun:test'
import type { Allotment } from '../../../src/limits/allotment.ts'
import { LocalLimits, LocalPermit } from '../../../src/limits/local-limits.ts'
import { limitOf } from '../../support/limits/small-cluster.ts'

/* The part of a process changes, while no other process uses the limit. */

const limit = 12_000

interface How {
  isElseUnused: boolean
  countedMs: number
  isCounting?: boolean
}

function openFixture(whole = limit, how: How = { isElseUnused: true, countedMs: 0 }) {
  let [nowMs, part, version] = [1_000, whole, 1]
  const allotment: Allotment = {
    get version() {
      return version
    },
    get isCounting() {
      return how.isCounting === true
    },
    get isTold() {
      return how.isCounting === true
    },
    partOf: () => part,
    isElseUnused: () => how.isElseUnused,
    usedByOthers: () => 0,
    // Only while the process may use all of the limit.
    countedMs: () => (part === whole ? how.countedMs : 0),
    isInUse: () => true,
    note: () => undefined,
    carry: () => undefined,
    tellEnd: () => undefined,
  }
  const limits = new LocalLimits(() => nowMs, allotment)
  const owned = limitOf({ requestsPerMinute: whole })
  const admit = (most: number): number => {
    let count = 0
    while (count < most && limits.admit([owned], 0) instanceof LocalPermit) count += 1
    return count
  }
  const resize = (to: number) => {
    part = to
    version += 1
    // Applies the part, also without a request.
    limits.fitAll()
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  /** A server that counts for all replicas has admitted a request, and so much was left of the limit. */
  const follow = (left: number) => {
    const requestsFullInMs = (60_000 * (limit - left)) / limit
    const { values } = owned
    limits.follow([{ owned, values, requestsFullInMs, tokensFullInMs: 0 }]).end([])
  }
  return { admit, resize, pass, follow }
}

describe('a part of a limit that nobody else uses', () => {
  test.each([
    ['nothing', 0],
    ['half', 6_000],
    ['all', limit],
  ])('becomes small and large again after %s was used: nothing is available twice', (_, used) => {
    const { admit, resize } = openFixture()
    expect(admit(used)).toBe(used)
    for (const part of [400, 0, 6_000]) resize(part)
    expect(admit(limit)).toBe(Math.max(0, 6_000 - used))
    resize(limit)
    expect(admit(limit)).toBe(limit - Math.max(used, 6_000))
  })

  test('what was used comes back at the rate of the limit in the meantime', () => {
    const { admit, resize, pass } = openFixture()
    expect(admit(limit)).toBe(limit)
    resize(400)
    pass(30_000)
    resize(limit)
    expect(admit(limit)).toBe(limit / 2)
    resize(400)
    pass(60_000)
    resize(limit)
    expect(admit(limit)).toBe(limit)
  })

  test('what was used of the small part counts as well', () => {
    const { admit, resize, pass } = openFixture()
    expect(admit(6_000)).toBe(6_000)
    resize(400)
    expect(admit(limit)).toBe(400)
    pass(15_000)
    resize(limit)
    expect(admit(limit)).toBe(limit - 6_400 + limit / 4)
  })

  test.each([0, 3_000])(
    'after the loss of a server that had left %d to all: a larger part does not have more',
    (left) => {
      const { admit, resize, follow } = openFixture()
      resize(400)
      follow(left)
      resize(limit)
      expect(admit(limit)).toBe(left)
    },
  )

  const oneMs = 60_000 / 5
  test.each([
    { isElseUnused: true, countedMs: 0, left: 1 },
    { isElseUnused: true, countedMs: 0.3 * oneMs, left: 0 },
    { isElseUnused: true, countedMs: 0.7 * oneMs, left: 0 },
    { isElseUnused: false, countedMs: 0, left: 0 },
    { isElseUnused: false, countedMs: 0.3 * oneMs, left: 0 },
  ])(
    'of a small limit, of which the database has counted $countedMs ms: becomes 0 and whole again',
    ({ left, ...how }) => {
      const { admit, resize, pass } = openFixture(5, how)
      expect(admit(4)).toBe(4)
      resize(0)
      expect(admit(1)).toBe(0)
      pass(400)
      resize(5)
      expect(admit(5)).toBe(left)
    },
  )

  test('what a replica has used when the database no longer counts is missing for a minute, also of a small part', () => {
    const how = { isElseUnused: false, countedMs: 0, isCounting: true }
    const { admit, resize, pass } = openFixture(600, how)
    expect(admit(600)).toBe(600)
    how.isCounting = false
    resize(20)
    pass(6_000)
    expect(admit(20)).toBe(2)
    pass(54_000)
    expect(admit(20)).toBeGreaterThanOrEqual(17)
  })

  test('what was used beyond a small part comes back after what the database has counted', () => {
    const how = { isElseUnused: true, countedMs: 20_000 }
    const { admit, resize, pass } = openFixture(60, how)
    expect(admit(60)).toBe(40)
    resize(3)
    pass(20_000)
    how.countedMs = 0
    resize(60)
    expect(admit(60)).toBe(20)
  })
})
