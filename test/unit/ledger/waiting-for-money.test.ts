import { describe, expect, test } from 'bun:test'
import type { LeaseHold } from '../../../src/ledger/leases/lease-hold.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import { leaseTimes } from '../../../src/ledger/leases/lease-times.ts'
import { WaitQueues } from '../../../src/ledger/leases/wait-queues.ts'
import type { HoldRefusal, HoldRequest, HoldVerdict } from '../../../src/ledger/ledger.ts'

/** A pool with money held by running requests, and a clock that advances with each check of the pool. */
function openLine(money: { freeNano: bigint; heldNano: bigint }, msPerLook = 100) {
  const state = { ...money, nowMs: 1_000, looks: 0, isAway: false }
  const pool = new LeasePool('k', 'a')
  const take = (request: HoldRequest): LeaseHold | undefined => {
    if (state.freeNano < request.amountNano) return undefined
    state.freeNano -= request.amountNano
    state.heldNano += request.amountNano
    return { grantedNano: request.amountNano } as LeaseHold
  }
  const refusalOf = (amountNano: bigint): HoldRefusal => ({
    reason:
      state.freeNano + state.heldNano < amountNano ? 'insufficient_credit' : 'quota_in_flight',
    affordableNano: state.freeNano,
  })
  const look = async () => {
    state.looks += 1
    state.nowMs += msPerLook
    if (state.isAway) throw new Error('the database is away')
    return refusalOf
  }
  const queues = new WaitQueues({
    nowMs: () => state.nowMs,
    take: (_, request) => take(request),
    obtain: async (_, { amountNano }) =>
      state.freeNano < amountNano ? refusalOf(amountNano) : undefined,
    stillShort: async () => refusalOf,
    lookAgain: look,
  })
  const join = (amountNano: bigint, isPatient = true): Promise<HoldVerdict> =>
    queues.join(pool, {
      amountNano,
      ...(isPatient ? { waitsFor: 'in-flight' } : {}),
    } as HoldRequest)
  /** A running request ends: some of its hold is spent, and the rest is free again. */
  const settle = (heldNano: bigint, costNano: bigint): void => {
    state.heldNano -= heldNano
    state.freeNano += heldNano - costNano
    pool.onFreed?.()
  }
  return { state, queues, pool, join, settle }
}

const verdictsOf = async (asked: readonly Promise<HoldVerdict>[]): Promise<string[]> =>
  (await Promise.all(asked)).map((verdict) => (verdict.ok ? 'ok' : verdict.refusal.reason))

/** Lets all running work reach the point where it waits. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 0)
  })

describe('requests that wait for money that others hold', () => {
  test('get the returned money, in order', async () => {
    const { join, settle } = openLine({ freeNano: 0n, heldNano: 30n }, 1_000)
    const asked = [join(10n), join(10n), join(10n)]
    await settled()
    settle(30n, 10n)
    expect(await verdictsOf(asked)).toEqual(['ok', 'ok', 'quota_in_flight'])
  })

  test('are refused at once when the held money would not be enough', async () => {
    const { state, join } = openLine({ freeNano: 2n, heldNano: 5n })
    expect(await verdictsOf([join(10n)])).toEqual(['insufficient_credit'])
    expect(state.looks).toBe(0)
  })

  test('are refused as soon as the held money is spent', async () => {
    const { state, join, settle } = openLine({ freeNano: 0n, heldNano: 20n }, 1)
    const asked = [join(10n), join(10n)]
    await settled()
    settle(20n, 20n)
    expect(await verdictsOf(asked)).toEqual(['insufficient_credit', 'insufficient_credit'])
    expect(state.nowMs).toBeLessThan(1_000 + leaseTimes.inFlightMs)
  })

  test('a request without a wait fails at once', async () => {
    const { state, join } = openLine({ freeNano: 0n, heldNano: 20n })
    expect(await verdictsOf([join(10n, false)])).toEqual(['quota_in_flight'])
    expect(state.looks).toBe(0)
  })

  test('wait for a bounded time when nothing comes back', async () => {
    const { state, join, queues, pool } = openLine({ freeNano: 0n, heldNano: 20n }, 600)
    expect(await verdictsOf([join(10n)])).toEqual(['quota_in_flight'])
    expect(state.nowMs - 1_000).toBeGreaterThanOrEqual(leaseTimes.inFlightMs)
    expect(state.nowMs - 1_000).toBeLessThan(2 * leaseTimes.inFlightMs)
    expect(queues.has(pool)).toBe(false)
  })

  test('wait for a bounded time in total, whatever comes back', async () => {
    const { state, join, settle } = openLine({ freeNano: 0n, heldNano: 1_000n }, 900)
    let isOver = false
    const asked = join(100n).then((verdict) => {
      isOver = true
      return verdict
    })
    while (!isOver) {
      await settled()
      settle(1n, 1n)
    }
    expect(await verdictsOf([asked])).toEqual(['quota_in_flight'])
    expect(state.nowMs - 1_000).toBeGreaterThanOrEqual(leaseTimes.inFlightMostMs)
  })

  test('a large request does not block small ones', async () => {
    const { join, settle } = openLine({ freeNano: 0n, heldNano: 100n })
    const large = join(90n)
    await settled()
    const small = join(5n)
    await settled()
    settle(10n, 0n)
    expect(await verdictsOf([small])).toEqual(['ok'])
    settle(90n, 5n)
    expect(await verdictsOf([large])).toEqual(['ok'])
  })

  test('a limited number waits', async () => {
    const { state, join } = openLine({ freeNano: 0n, heldNano: 10n }, 5_000)
    const asked = Array.from({ length: 1_200 }, () => join(10n))
    let refusedEarly = 0
    for (const each of asked)
      void each.then(() => {
        if (state.looks === 0) refusedEarly += 1
      })
    await verdictsOf(asked)
    expect(refusedEarly).toBeGreaterThanOrEqual(199)
  })

  test('fail when the database is unreachable for all that time', async () => {
    const { state, join } = openLine({ freeNano: 0n, heldNano: 20n }, 1_100)
    const asked = join(10n)
    await settled()
    state.isAway = true
    expect(asked).rejects.toThrow('the database is away')
    await asked.catch(() => undefined)
  })
})
