import { describe, expect, test } from 'bun:test'
import type { LeaseHold } from '../../../src/ledger/leases/lease-hold.ts'
import { LeasePool } from '../../../src/ledger/leases/lease-pool.ts'
import { type MoneySource, WaitQueues } from '../../../src/ledger/leases/wait-queues.ts'
import type { HoldRequest, HoldVerdict } from '../../../src/ledger/ledger.ts'
import { DatabaseTimeout } from '../../../src/store/engine.ts'
import { eventually } from '../../support/eventually.ts'

/** A pool behind a slow database, with a count of the queries. */
function openLine(restNano: bigint, waitMsMax?: number) {
  const state = { restNano, leasedNano: 0n, taken: 0, obtained: 0, askedAgain: 0, isBroken: false }
  const answer = { whenAsked: (): Promise<void> => Promise.resolve() }
  const pool = new LeasePool('k', 'a')
  const take = (amountNano: bigint): LeaseHold | undefined => {
    if (state.leasedNano < amountNano) return undefined
    state.leasedNano -= amountNano
    state.taken += 1
    return { grantedNano: amountNano } as LeaseHold
  }
  const refusal = { reason: 'insufficient_credit' as const, affordableNano: 0n }
  const source: MoneySource = {
    nowMs: () => 0,
    take: (_, request) => take(request.amountNano),
    obtain: async (_, { amountNano }) => {
      state.obtained += 1
      await answer.whenAsked()
      if (state.restNano < amountNano) return refusal
      state.restNano -= amountNano
      state.leasedNano += amountNano
      return undefined
    },
    stillShort: async (_, leastNano) => {
      state.askedAgain += 1
      await Promise.resolve()
      if (state.isBroken) throw new Error('the database is away')
      return state.restNano < leastNano ? () => refusal : undefined
    },
    lookAgain: async () => () => refusal,
  }
  const queues = new WaitQueues(source, waitMsMax)
  const join = (amountNano: bigint): Promise<HoldVerdict> =>
    queues.join(pool, { amountNano } as HoldRequest)
  return { state, answer, queues, pool, join }
}

async function admitted(verdicts: readonly Promise<HoldVerdict>[]): Promise<boolean[]> {
  return (await Promise.all(verdicts)).map(({ ok }) => ok)
}

describe('requests that wait for the money of one key', () => {
  test('are refused together once one is, and the database is asked once for all of them', async () => {
    const { state, join } = openLine(20n)
    const verdicts = Array.from({ length: 500 }, () => join(10n))
    const isAdmitted = await admitted(verdicts)
    expect(isAdmitted).toEqual(isAdmitted.map((_, index) => index < 2))
    expect(state).toMatchObject({ obtained: 3, askedAgain: 1 })
  })

  test('are not rejected because an earlier request needs more than is available', async () => {
    const { join } = openLine(20n)
    const isAdmitted = await admitted([join(100n), join(15n), join(50n), join(5n), join(1n)])
    expect(isAdmitted).toEqual([false, true, false, true, false])
  })

  test('are refused only by an answer that is newer than their arrival', async () => {
    const { state, join } = openLine(0n)
    const first = join(10n)
    const second = join(10n)
    expect((await first).ok).toBe(false)
    // During the query about the second request, money and a third request arrive.
    state.restNano = 10n
    const third = join(10n)
    expect((await Promise.all([second, third])).filter(({ ok }) => ok)).toHaveLength(1)
  })

  test('are served one by one when the database fails in between', async () => {
    const { state, join } = openLine(0n)
    state.isBroken = true
    expect(await admitted([join(1n), join(1n), join(1n)])).toEqual([false, false, false])
    expect(state.obtained).toBe(3)
  })

  test('fail together when the database is silent, after one query', async () => {
    const { state, answer, queues, pool, join } = openLine(10n)
    answer.whenAsked = () => Promise.reject(new DatabaseTimeout('silent'))
    const asked = await Promise.allSettled([join(1n), join(1n), join(1n)])
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(state).toMatchObject({ obtained: 1, taken: 0 })
    expect(queues.has(pool)).toBe(false)
  })

  test('do not wait for ever, and money that arrives too late is not held for them', async () => {
    const { state, answer, queues, pool, join } = openLine(10n, 20)
    const late = Promise.withResolvers<void>()
    answer.whenAsked = () => late.promise
    expect(join(1n)).rejects.toBeInstanceOf(DatabaseTimeout)
    await eventually('nobody waits', () => !queues.has(pool))
    late.resolve()
    await eventually('it has come', () => state.leasedNano === 1n)
    expect(state.taken).toBe(0)
    // The next request finds it in the pool.
    expect((await join(1n)).ok).toBe(true)
    expect(state).toMatchObject({ obtained: 1, taken: 1 })
  })

  test('leave the line before they continue: the next one does not wait behind an empty place', async () => {
    const { queues, pool, join } = openLine(10n)
    await join(10n)
    expect(queues.has(pool)).toBe(false)
    await Promise.all([join(1n), join(1n)])
    expect(queues.has(pool)).toBe(false)
  })
})
