import { describe, expect, test } from 'bun:test'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import {
  BalanceTooLarge,
  balanceNanoMax,
  CreditShortage,
  grantCredit,
  type ReversibleCredit,
  reverseCredit,
} from '../../../src/ledger/credits.ts'
import { grantUnit } from '../../../src/ledger/leases/lease-units.ts'
import { takeEpoch } from '../../../src/ledger/replica.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { openFunds, readFunds } from './ledger-helpers.ts'

let made = 0

function nextName(): string {
  made += 1
  return `c-${made}`
}

function correct(engine: Engine, amountNano: bigint, externalId = nextName()) {
  const grant = { id: nextName(), accountId: 'a', amountNano, source: 't', externalId }
  return write(engine, 1, (writing) => grantCredit(writing, { ...grant, reason: 'why', at: 2 }))
}

function reverse(engine: Engine, credit: ReversibleCredit, source = 't') {
  const reversal = { id: nextName(), source, at: 3 }
  return write(engine, 1, (writing) => reverseCredit(writing, credit, reversal))
}

function creditsOf(engine: Engine) {
  return engine.db
    .selectFrom('credit')
    .select(['id', 'account_id', 'amount_nano', 'reason', 'reverses'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

async function firstCredit(engine: Engine): Promise<ReversibleCredit> {
  const [first] = await creditsOf(engine)
  if (!first) throw new Error('the account has no credit')
  return first
}

async function lease(engine: Engine, wantedNano: bigint): Promise<void> {
  const owner = await takeEpoch(engine, 'r')
  const ids = { leaseId: 'l', accountId: 'a', keyId: 'k' }
  const grant = { ...ids, leastNano: wantedNano, wantedNano, reclaimInMs: 60_000 }
  await engine.runUnits([grantUnit(grant, owner, engine.clockSql)])
}

describe.each(sharedFixtures('credits'))('credits on $kind', (fixture) => {
  const corrections = [
    { name: 'a part of the balance', credit: 100n, leased: 0n, amount: -40n, left: 60n },
    { name: 'the whole balance', credit: 100n, leased: 0n, amount: -100n, left: 0n },
    {
      name: 'one nano more than the balance',
      credit: 100n,
      leased: 0n,
      amount: -101n,
      left: undefined,
    },
    { name: 'all money outside leases', credit: 100n, leased: 30n, amount: -70n, left: 0n },
    { name: 'money of a lease', credit: 100n, leased: 30n, amount: -71n, left: undefined },
  ]
  test.each(corrections)('a correction takes $name', async ({ credit, leased, amount, left }) => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: credit })
    if (leased > 0n) await lease(engine, leased)
    const before = await creditsOf(engine)
    const outcome = await correct(engine, amount).catch((error: unknown) => error)
    if (left === undefined) {
      if (!(outcome instanceof CreditShortage)) throw new Error('it must be refused')
      const { wantedNano, availableNano, leasedNano } = outcome
      expect([wantedNano, availableNano, leasedNano]).toEqual([-amount, credit - leased, leased])
      expect(await creditsOf(engine)).toEqual(before)
    } else expect(outcome).toBe(true)
    expect((await readFunds(engine)).accountNano).toBe(left ?? credit - leased)
    expect(await findImbalances(engine)).toEqual([])
  })

  test.each([
    { name: 'up to the largest balance', restNano: 0n, isAdded: true },
    { name: 'one nano more', restNano: 1n, isAdded: false },
  ])('a credit $name', async ({ restNano, isAdded }) => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 100n })
    const outcome = await correct(engine, balanceNanoMax - 100n + restNano).catch(
      (error: unknown) => error,
    )
    if (isAdded) expect(outcome).toBe(true)
    else expect(outcome).toBeInstanceOf(BalanceTooLarge)
    expect((await readFunds(engine)).accountNano).toBe(isAdded ? balanceNanoMax : 100n)
    expect(await creditsOf(engine)).toHaveLength(isAdded ? 2 : 1)
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a repeated correction is made once, and a rejected one can be repeated', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 10n })
    expect(await correct(engine, -4n, 'form')).toBe(true)
    expect(await correct(engine, -4n, 'form')).toBe(false)
    expect((await readFunds(engine)).accountNano).toBe(6n)
    const short = await correct(engine, -7n, 'later').catch((error: unknown) => error)
    expect(short).toBeInstanceOf(CreditShortage)
    await correct(engine, 1n)
    expect(await correct(engine, -7n, 'later')).toBe(true)
    expect((await readFunds(engine)).accountNano).toBe(0n)
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a reversal names its credit, takes it back in full, and happens once', async () => {
    const [engine, other] = await fixture.openTwo()
    await openFunds(engine, { creditNano: 100n })
    await correct(engine, 50n)
    const credit = await firstCredit(engine)
    const outcomes = await Promise.all([
      reverse(engine, credit, 'console'),
      reverse(other, credit, 'cli'),
      reverse(engine, credit, 'console'),
    ])
    expect(outcomes.filter((isReversed) => isReversed)).toHaveLength(1)
    expect((await readFunds(engine)).accountNano).toBe(50n)
    const rows = await creditsOf(engine)
    expect(rows.filter(({ reverses }) => reverses !== null)).toMatchObject([
      { reverses: credit.id, amount_nano: -100n, reason: credit.reason },
    ])
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a credit whose external id looks like a reversal does not prevent the reversal', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 100n })
    const credit = await firstCredit(engine)
    await correct(engine, 7n, `reversal:${credit.id}`)
    await correct(engine, 5n, credit.id)
    expect(await reverse(engine, credit)).toBe(true)
    expect(await reverse(engine, credit)).toBe(false)
    expect((await readFunds(engine)).accountNano).toBe(12n)
    expect(await findImbalances(engine)).toEqual([])
  })

  test('a partly spent credit cannot be reversed', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 100n })
    await lease(engine, 1n)
    const credit = await firstCredit(engine)
    const short = await reverse(engine, credit).catch((error: unknown) => error)
    expect(short).toBeInstanceOf(CreditShortage)
    expect(await creditsOf(engine)).toHaveLength(1)
    expect((await readFunds(engine)).accountNano).toBe(99n)
    expect(await findImbalances(engine)).toEqual([])
  })

  test('the reversal of a correction gives the money back', async () => {
    const engine = await fixture.openMigrated()
    await openFunds(engine, { creditNano: 100n })
    await correct(engine, -30n)
    const correction = (await creditsOf(engine)).find(({ amount_nano }) => amount_nano === -30n)
    if (!correction) throw new Error('the correction is missing')
    expect(await reverse(engine, correction)).toBe(true)
    expect(await reverse(engine, correction)).toBe(false)
    expect((await readFunds(engine)).accountNano).toBe(100n)
    expect(await findImbalances(engine)).toEqual([])
  })
})
