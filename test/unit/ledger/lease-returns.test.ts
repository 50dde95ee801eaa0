import { describe, expect, test } from 'bun:test'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import { LeaseReturns } from '../../../src/ledger/leases/lease-returns.ts'
import type { Unit, UnitResult } from '../../../src/store/engine.ts'

function unitOf(name: string): Unit {
  return { statements: [{ sql: name, values: [] }] }
}

function openFixture() {
  const asked: { readonly name: string; done(): void; fail(): void }[] = []
  const errors: string[] = []
  const returns = new LeaseReturns({
    commits: {
      run: (unit) => {
        const { promise, resolve, reject } = Promise.withResolvers<UnitResult>()
        const name = unit.statements[0]?.sql ?? ''
        asked.push({ name, done: () => resolve([]), fail: () => reject(new Error('away')) })
        return promise
      },
    },
    onError: (event) => errors.push(event),
  })
  const names = (): string[] => asked.map(({ name }) => name)
  return { asked, errors, returns, names }
}

describe('returns', () => {
  test('of one pool run one after the other, and take the money when their turn comes', async () => {
    const { asked, returns, names } = openFixture()
    const pool = new LeasePool('k', 'a')
    const taken: string[] = []
    const take = (name: string) => () => {
      taken.push(name)
      return unitOf(name)
    }
    const first = returns.give(pool, take('first'))
    const second = returns.give(pool, take('second'))
    // Another caller gets the result of the running return.
    const third = returns.give(pool, take('third'))
    expect([taken, names()]).toEqual([['first'], ['first']])
    asked[0]?.done()
    expect(await first).toBe(true)
    expect([taken, names()]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ])
    asked[1]?.done()
    expect(await Promise.all([second, third])).toEqual([true, true])
    expect(taken).toEqual(['first', 'second'])
  })

  test('of one pool never run concurrently, whenever they are requested', async () => {
    const { asked, returns, names } = openFixture()
    const pool = new LeasePool('k', 'a')
    const give = () => void returns.give(pool, () => unitOf('some'))
    give()
    give()
    asked[0]?.done()
    // The first return is done and the second about to begin: each of these moments is between the two.
    for (let moment = 0; moment < 12; moment += 1) {
      await Promise.resolve()
      give()
    }
    expect(names()).toHaveLength(2)
  })

  test('of different pools do not wait for each other', () => {
    const { returns, names } = openFixture()
    void returns.give(new LeasePool('k', 'a'), () => unitOf('one'))
    void returns.give(new LeasePool('l', 'a'), () => unitOf('other'))
    expect(names()).toEqual(['one', 'other'])
  })

  test('that fail are owed, and no other return of their pool precedes them', async () => {
    const { asked, errors, returns, names } = openFixture()
    const pool = new LeasePool('k', 'a')
    const debt = returns.give(pool, () => unitOf('debt'))
    asked[0]?.fail()
    expect(await debt).toBe(true)
    expect([errors, returns.isEmpty]).toEqual([['lease_not_returned'], false])
    expect(await returns.give(pool, () => unitOf('cover'))).toBe(false)
    const again = returns.returnOwed()
    const cover = returns.give(pool, () => unitOf('cover'))
    expect(names()).toEqual(['debt', 'debt'])
    asked[1]?.done()
    await again
    await Promise.resolve()
    expect([names(), returns.isEmpty]).toEqual([['debt', 'debt', 'cover'], true])
    asked[2]?.done()
    expect(await cover).toBe(true)
  })

  test('without a pool are sent in the next round, until they succeed', async () => {
    const { asked, returns, names } = openFixture()
    returns.owe(unitOf('loose'))
    expect(names()).toEqual([])
    const once = returns.returnOwed()
    asked[0]?.fail()
    await once
    expect(returns.isEmpty).toBe(false)
    const twice = returns.returnOwed()
    asked[1]?.done()
    await twice
    expect([names(), returns.isEmpty]).toEqual([['loose', 'loose'], true])
  })

  test('are tried with one unit, and less often while the database refuses it', async () => {
    const { asked, errors, returns, names } = openFixture()
    for (let number = 0; number < 300; number += 1) returns.owe(unitOf(`loose ${number}`))
    const triedAtMs: number[] = []
    for (let nowMs = 0; nowMs <= 120_000; nowMs += 1_000) {
      const before = names().length
      void returns.returnDue(nowMs)
      if (names().length === before) continue
      triedAtMs.push(nowMs / 1_000)
      asked.at(-1)?.fail()
      await Bun.sleep(0)
    }
    expect(triedAtMs).toEqual([0, 1, 3, 7, 15, 31, 61, 91])
    expect(errors).toHaveLength(8)
    // The first unit that succeeds is followed by all others.
    void returns.returnDue(121_000)
    asked.at(-1)?.done()
    await Bun.sleep(0)
    for (const each of asked.slice(-299)) each.done()
    await Bun.sleep(0)
    expect([names().length, returns.isEmpty]).toEqual([8 + 300, true])
    void returns.returnDue(122_000)
    expect(names()).toHaveLength(308)
  })

  test('beyond the limit are left to recovery', () => {
    const { returns } = openFixture()
    for (let number = 0; number < 10_001; number += 1) returns.owe(unitOf(`loose ${number}`))
    expect(returns.isEmpty).toBe(false)
  })

  test('without money send no query', async () => {
    const { returns, names } = openFixture()
    expect(await returns.give(new LeasePool('k', 'a'), () => undefined)).toBe(false)
    expect(names()).toEqual([])
  })
})
