import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LimitValues, OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { wholeSeconds } from '../../../src/core/time/whole-seconds.ts'
import { LimitRefusal } from '../../../src/limits/limiter.ts'
import { LocalLimits, LocalPermit } from '../../../src/limits/local-limits.ts'
import { minuteMs } from '../../../src/limits/rate.ts'
import { limitHeaders } from '../../../src/protocols/messages/limit-headers.ts'
import { openaiLimitHeaders } from '../../../src/protocols/openai/limit-headers.ts'

const none: LimitValues = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
}

function openFixture(values: Partial<LimitValues>, ...others: Partial<LimitValues>[]) {
  let nowMs = 5_000
  const limits = new LocalLimits(() => nowMs)
  const applied: OwnedLimits[] = [values, ...others].map((each, index) => ({
    owner: 'key',
    name: `key:k${index}`,
    values: { ...none, ...each },
  }))
  const permit = (tokens = 1, of = applied): LocalPermit => {
    const verdict = limits.admit(of, tokens)
    if (verdict instanceof LocalPermit) return verdict
    throw new Error(`refused: ${JSON.stringify(verdict)}`)
  }
  return {
    limits,
    applied,
    pass: (ms: number) => {
      nowMs += ms
    },
    admit: (tokens = 1, of = applied) => limits.admit(of, tokens),
    permit,
    /** The remaining amounts, read without an effect. */
    levels: (...of: (OwnedLimits | undefined)[]) => {
      const asked = permit(
        0,
        of.flatMap((each) => each ?? []),
      )
      const levels = asked.levels()
      asked.giveBack()
      return levels
    },
  }
}

describe('the limits of a request', () => {
  test('requests per minute: the limit at once, one more after its share of the minute', () => {
    const { admit, pass, permit } = openFixture({ requestsPerMinute: 3 })
    for (let count = 0; count < 3; count += 1) permit()
    expect(admit()).toMatchObject({ owner: 'key', kind: 'requests', limit: 3, waitMs: 20_000 })
    pass(19_999)
    expect(admit()).toBeInstanceOf(LimitRefusal)
    pass(1)
    permit()
    expect(admit()).toBeInstanceOf(LimitRefusal)
  })

  test('a request that one limit refuses takes nothing from the others', () => {
    const { applied, admit, permit } = openFixture(
      { requestsPerMinute: 10 },
      { requestsPerMinute: 1, tokensPerMinute: 100 },
    )
    const [wide] = applied
    expect(permit(30).levels()).toMatchObject({
      requests: { limit: 1, remaining: 0 },
      tokens: { limit: 100, remaining: 70 },
    })
    for (let count = 0; count < 5; count += 1) {
      expect(admit(30)).toMatchObject({
        kind: 'requests',
        limit: 1,
        levels: { tokens: { remaining: 70 } },
      })
    }
    expect(permit(1, wide ? [wide] : []).levels().requests?.remaining).toBe(8)
  })

  test('of several refusals the one with the longest wait is reported', () => {
    const { admit, permit } = openFixture({ requestsPerMinute: 60 }, { tokensPerMinute: 60 })
    permit(60)
    expect(admit(30)).toMatchObject({ owner: 'key', kind: 'tokens', limit: 60, waitMs: 30_000 })
  })

  test('a refusal shows the level of the limit that refuses, not of a tighter one that comes back sooner', () => {
    const { admit, permit } = openFixture({ tokensPerMinute: 6_000 }, { tokensPerMinute: 60 })
    permit(50).end(5_990)
    const refused = admit(60)
    expect(refused).toMatchObject({ limit: 60, levels: { tokens: { limit: 60, remaining: 0 } } })
    const wide = openFixture({ requestsPerMinute: 60 }, { requestsPerMinute: 1 })
    wide.permit()
    for (let count = 1; count < 60; count += 1) wide.permit(1, wide.applied.slice(0, 1))
    expect(wide.admit()).toMatchObject({ limit: 1, levels: { requests: { limit: 1 } } })
  })

  test('a share of zero leaves nothing', () => {
    const partOf = () => 0
    const allotment = {
      version: 1,
      isCounting: false,
      isTold: false,
      partOf,
      countedMs: () => 0,
      isElseUnused: () => false,
    }
    const limits = new LocalLimits(() => 5_000, {
      ...allotment,
      isInUse: () => true,
      usedByOthers: () => 0,
      note: () => {},
      carry: () => {},
      tellEnd: () => {},
    })
    const values = { requestsPerMinute: 1, tokensPerMinute: 10, concurrentRequests: 1 }
    expect(limits.admit([{ owner: 'key', name: 'key:k', values }], 1)).toMatchObject({
      levels: { requests: { limit: 1, remaining: 0 }, tokens: { limit: 10, remaining: 0 } },
    })
  })

  test('a preview takes nothing and returns the refusal', () => {
    const { limits, applied, permit } = openFixture({ requestsPerMinute: 1 })
    for (let count = 0; count < 3; count += 1) expect(limits.preview(applied, 1)).toBeUndefined()
    permit()
    expect(limits.preview(applied, 1)).toMatchObject({ kind: 'requests', limit: 1 })
  })

  test('concurrent requests: the place is free as soon as a request has ended, once', () => {
    const { admit, permit } = openFixture({ concurrentRequests: 2 })
    const [one, two] = [permit(), permit()]
    expect(admit()).toMatchObject({ kind: 'concurrent', limit: 2 })
    one.end(5)
    one.end(5)
    one.giveBack()
    const three = permit()
    expect(admit()).toMatchObject({ kind: 'concurrent' })
    two.giveBack()
    three.end(0)
    permit()
  })

  test('tokens: the true usage replaces the estimate', () => {
    const { applied, permit, levels } = openFixture({ tokensPerMinute: 1_000 })
    const small = permit(400)
    expect(small.levels().tokens?.remaining).toBe(600)
    small.end(100)
    expect(levels(...applied).tokens?.remaining).toBe(900)
    const large = permit(100)
    large.end(950)
    expect(large.levels().tokens?.remaining).toBe(0)
  })

  test('requests that run at the same time are told the same levels for ten milliseconds', () => {
    const { pass, permit } = openFixture({ requestsPerMinute: 100, tokensPerMinute: 1_000 })
    const [one, two, three] = [permit(100), permit(100), permit(100)]
    const left = (of: LocalPermit) => {
      const { requests, tokens } = of.levels()
      return [requests?.remaining, tokens?.remaining]
    }
    one.end(50)
    expect(left(one)).toEqual([97, 750])
    two.end(10)
    expect(two.levels()).toBe(one.levels())
    // A client that has the answer of the first may have sent this request, so the levels include it.
    const four = permit(100)
    four.end(100)
    expect(left(four)).toEqual([96, 740])
    pass(9)
    const five = permit(1)
    three.end(0)
    expect(left(three)).toEqual([96, 740])
    pass(1)
    five.end(1)
    expect(left(five)).toEqual([95, 839])
  })

  test('requests one after the other are told the levels after each of them', () => {
    const { permit } = openFixture({ requestsPerMinute: 100, tokensPerMinute: 1_000 })
    const told = [1, 2, 3].map(() => {
      const each = permit(100)
      each.end(10)
      return [each.levels().requests?.remaining, each.levels().tokens?.remaining]
    })
    expect(told).toEqual([
      [99, 990],
      [98, 980],
      [97, 970],
    ])
  })

  test('a request that is larger than the limit is admitted when all of it is available, and delays the next', () => {
    const { admit, pass, permit } = openFixture({ tokensPerMinute: 1_000 })
    permit(5_000).end(3_000)
    // 3,000 tokens take three minutes; the first of them is the burst.
    expect(admit(1)).toMatchObject({ kind: 'tokens', waitMs: 120_060 })
    pass(120_060)
    permit(1)
    expect(admit(1_000)).toMatchObject({ kind: 'tokens' })
  })

  test('a debt is never longer than five minutes', () => {
    const { admit, pass, permit } = openFixture({ tokensPerMinute: 10 })
    permit(10).end(1_000_000_000)
    expect(admit(10)).toMatchObject({ waitMs: 6 * minuteMs })
    pass(6 * minuteMs)
    permit(10)
  })

  test('a changed limit applies from the next request, and keeps the used amount', () => {
    const { admit, permit } = openFixture({})
    const of = (requestsPerMinute: number): OwnedLimits[] => [
      { owner: 'model', name: 'model:m', values: { ...none, requestsPerMinute } },
    ]
    for (let count = 0; count < 5; count += 1) permit(1, of(10))
    expect(permit(1, of(100)).levels().requests?.remaining).toBe(49)
    expect(admit(1, of(1))).toBeInstanceOf(LimitRefusal)
  })

  test('a request that is given back after its limit has changed gives back what it had taken', () => {
    const { admit, pass, permit, levels } = openFixture({})
    const of = (requestsPerMinute: number): OwnedLimits => ({
      owner: 'key',
      name: 'key:k',
      values: { ...none, requestsPerMinute },
    })
    const ofMany = permit(1, [of(1_000)])
    pass(60)
    const ofOne = permit(1, [of(1)])
    ofMany.giveBack()
    expect(admit(1, [of(1)])).toBeInstanceOf(LimitRefusal)
    levels(of(1_000))
    ofOne.giveBack()
    expect(levels(of(1_000)).requests?.remaining).toBe(999)
  })

  // The estimate is 900 tokens; smaller limits count only their whole amount.
  test.each([
    ['raised, and the estimate was right', 100, 1_000, 900, 100],
    ['raised, and nothing was used', 100, 1_000, 0, 1_000],
    ['lowered, and 90 tokens were used', 1_000, 100, 90, 10],
    ['lowered, and nothing was used', 1_000, 100, 0, 100],
    ['unchanged', 1_000, 1_000, 300, 700],
  ])('a token limit that is %s while a request runs', (_, from, to, used, left) => {
    const { permit, levels } = openFixture({})
    const of = (tokensPerMinute: number): OwnedLimits => ({
      owner: 'key',
      name: 'key:k',
      values: { ...none, tokensPerMinute },
    })
    const running = permit(900, [of(from)])
    levels(of(to))
    running.end(used)
    expect(levels(of(to)).tokens?.remaining).toBe(left)
  })

  test('owners that are no longer used are forgotten', () => {
    const { limits, pass, permit } = openFixture({})
    const values = { ...none, requestsPerMinute: 60 }
    for (let index = 0; index < 2_000; index += 1) {
      permit(1, [{ owner: 'key', name: `key:${index}`, values }]).end(1)
      pass(2_000)
    }
    expect(limits.size).toBeLessThan(1_100)
  })

  test('owners are forgotten between requests, not between the limits of a request', () => {
    const owned = (name: string, requestsPerMinute: number): OwnedLimits => ({
      owner: 'key',
      name,
      values: { ...none, requestsPerMinute },
    })
    // The unused owners are looked for after a certain number of new ones, wherever it falls in a request.
    for (let earlier = 990; earlier <= 1_010; earlier += 1) {
      const { admit, permit } = openFixture({})
      for (let index = 0; index < earlier; index += 1) permit(1, [owned(`key:${index}`, 60)])
      const strict = [
        owned('key:strict', 1),
        owned('account:one', 1_000),
        owned('group:one', 1_000),
      ]
      permit(1, strict).end(1)
      expect([earlier, admit(1, strict)]).toMatchObject([earlier, { kind: 'requests', limit: 1 }])
    }
  })
})

/** A limit that does not exist, none that may be used, small ones that are reached, and a large one. */
const values = fc.record({
  requestsPerMinute: fc.constantFrom(null, 1, 7, 60, 10 ** 9),
  tokensPerMinute: fc.constantFrom(null, 1, 700, 6_000, 10 ** 9),
  concurrentRequests: fc.constantFrom(null, 1, 3, 1_000),
})
const step = fc.record({
  pauseMs: fc.constantFrom(0, 0.25, 3, 1_000, 20_000),
  tokens: fc.constantFrom(0, 1, 90, 2_000),
  /** The owners of the request: some of three. */
  owners: fc.subarray([0, 1, 2], { minLength: 1 }),
  /** Before it, so many of the running requests end, with so many tokens. */
  ends: fc.nat(3),
  used: fc.constantFrom(0, 50, 3_000),
  change: fc.option(fc.record({ owner: fc.nat(2), values }), { freq: 6, nil: undefined }),
})

test('limits together admit and show what each of them would on its own', () => {
  fc.assert(
    fc.property(
      fc.tuple(values, values, values),
      fc.array(step, { maxLength: 60 }),
      (of, steps) => {
        let nowMs = 1_000_000
        const owners = of.map((each, index): OwnedLimits => {
          return { owner: 'key', name: `key:k${index}`, values: each }
        })
        const together = new LocalLimits(() => nowMs)
        const alone = owners.map(() => new LocalLimits(() => nowMs))
        const running: LocalPermit[][] = []
        const admitted = (limits: LocalLimits | undefined, some: OwnedLimits[], tokens: number) => {
          const verdict = limits?.admit(some, tokens)
          return verdict instanceof LocalPermit ? [verdict] : []
        }
        for (const { pauseMs, tokens, owners: asked, ends, used, change } of steps) {
          nowMs += pauseMs
          for (const permits of running.splice(0, ends)) for (const each of permits) each.end(used)
          const changed = change && owners[change.owner]
          if (changed) owners[change.owner] = { ...changed, values: change.values }
          const some = asked.flatMap((owner) => owners[owner] ?? [])
          const refusals = asked.map((owner, at) => {
            return alone[owner]?.preview(some.slice(at, at + 1), tokens)
          })
          const waits = refusals.map((refusal) => refusal?.waitMs ?? 0)
          expect(together.preview(some, tokens)?.waitMs ?? 0).toBeCloseTo(Math.max(...waits), 2)
          const permits = admitted(together, some, tokens)
          expect(permits.length).toBe(Math.max(...waits) > 0 ? 0 : 1)
          const each = asked.map((owner, at) => ({
            limits: alone[owner],
            own: some.slice(at, at + 1),
          }))
          if (permits.length > 0)
            for (const { limits, own } of each) permits.push(...admitted(limits, own, tokens))
          if (permits.length > 0) running.push(permits)
          for (const { limits, own } of each)
            expect(together.levels(own)).toEqual(limits?.levels(own) ?? {})
        }
      },
    ),
  )
})

test('the sums of fractions do not add a second to the wait or to the resets', () => {
  const applied: OwnedLimits[] = [
    { owner: 'key', name: 'key:k', values: { ...none, requestsPerMinute: 2 } },
  ]
  for (let nowMs = 0.1; nowMs < 10 ** 7; nowMs += 1_234.567) {
    const limits = new LocalLimits(() => nowMs)
    limits.admit(applied, 1)
    const second = limits.admit(applied, 1)
    const refused = limits.admit(applied, 1)
    if (!(second instanceof LocalPermit) || !(refused instanceof LimitRefusal))
      throw new Error('the limit is not two')
    expect(wholeSeconds(refused.waitMs)).toBe(30)
    const levels = second.levels()
    expect(openaiLimitHeaders[2]?.valueOf(levels, 1_000)).toBe(60)
    expect(limitHeaders[2]?.valueOf(levels, 1_000)).toBe(61)
  }
})
