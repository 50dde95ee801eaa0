import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { readStatement, type Statement } from '../../../src/ledger/audit/statement.ts'
import { closeUnit } from '../../../src/ledger/leases/lease-units.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { sharedFixtures } from '../../support/store/engine-fixture.ts'
import { hourMs, nowMs, openShop, spend } from '../audit/audit-helpers.ts'

const dayMs = 24 * hourMs
const creditNano = 1_000_000_000n

/** Requests on three days, two credits, an open lease. */
async function openStatement(engine: Engine): Promise<void> {
  await openShop(engine)
  await spend(engine, nowMs - 2 * dayMs, { tokens: 11 })
  await spend(engine, nowMs - dayMs, { tokens: 22, leaseId: 'closed long ago' })
  await sql`UPDATE credit SET created_at = ${nowMs - 3 * dayMs}`.execute(engine.db)
  await sql`UPDATE account SET created_at = ${nowMs - 3 * dayMs},
    available_nano = available_nano + 77`.execute(engine.db)
  await sql`INSERT INTO credit (id, account_id, amount_nano, source, external_id, reason, created_at)
    VALUES ('c2', 'a', 77, 'cli', 'bill-7', 'paid', ${nowMs - dayMs})`.execute(engine.db)
}

async function statementOf(engine: Engine, fromMs?: number, toMs?: number): Promise<Statement> {
  const statement = await readStatement(engine, 'a', { fromMs, toMs }, nowMs)
  if (!statement) throw new Error('the account a is missing')
  return statement
}

const total = (amounts: bigint[]): bigint => amounts.reduce((sum, each) => sum + each, 0n)

describe.each(sharedFixtures('statement'))('statement on $kind', (fixture) => {
  test('credits, daily charges and the balance add up to the last nano', async () => {
    const engine = await fixture.openMigrated()
    await openStatement(engine)
    const statement = await statementOf(engine)
    expect(statement.credits.map(({ amountNano }) => amountNano)).toEqual([creditNano, 77n])
    expect(statement.spending.map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-10-18', 1],
      ['2026-10-19', 1],
      ['2026-10-20', 2],
    ])
    const spentNano = total(statement.spending.map(({ costNano }) => costNano))
    expect(spentNano).toBeGreaterThan(0n)
    expect(statement.openingNano).toBe(0n)
    expect(statement.closingNano).toBe(creditNano + 77n - spentNano)
    expect(statement.leasedNano).toBeGreaterThan(0n)
    expect(statement.availableNano + statement.leasedNano).toBe(statement.closingNano)
    expect([statement.sinceNano, statement.differenceNano]).toEqual([0n, 0n])
  })

  const cuts = [nowMs - 4 * dayMs, nowMs - 2 * dayMs, nowMs - dayMs, nowMs, nowMs + dayMs]
  const periods = [undefined, ...cuts].flatMap((fromMs) =>
    [...cuts, undefined]
      .filter((toMs) => fromMs === undefined || toMs === undefined || fromMs < toMs)
      .map((toMs) => ({ fromMs, toMs })),
  )
  test('in any period nothing is counted twice or omitted', async () => {
    const engine = await fixture.openMigrated()
    await openStatement(engine)
    const whole = await statementOf(engine)
    for (const { fromMs, toMs } of periods) {
      const part = await statementOf(engine, fromMs, toMs)
      expect(part.differenceNano).toBe(0n)
      expect(part.closingNano + part.sinceNano).toBe(whole.closingNano)
      const credited = total(part.credits.map(({ amountNano }) => amountNano))
      const spentNano = total(part.spending.map(({ costNano }) => costNano))
      expect(part.openingNano + credited - spentNano).toBe(part.closingNano)
    }
    const neighbours = [
      await statementOf(engine, undefined, nowMs - dayMs),
      await statementOf(engine, nowMs - dayMs, undefined),
    ]
    expect(neighbours[1]?.openingNano).toBe(neighbours[0]?.closingNano ?? -1n)
    expect(neighbours.flatMap(({ spending }) => spending)).toEqual([...whole.spending])
  })

  test('a difference of one nano is reported', async () => {
    const engine = await fixture.openMigrated()
    await openStatement(engine)
    await engine.runUnits([closeUnit({ leaseId: 'open', accountId: 'a', keyId: 'k' })])
    expect((await statementOf(engine)).differenceNano).toBe(0n)
    await sql`UPDATE account SET available_nano = available_nano - 5`.execute(engine.db)
    expect((await statementOf(engine)).differenceNano).toBe(5n)
  })

  test('an account without movements, one with only old movements, and one that does not exist', async () => {
    const engine = await fixture.openMigrated()
    await sql`INSERT INTO account (id, name, status, ends_at, available_nano, created_at)
      VALUES ('a', '', 'active', NULL, 0, 1)`.execute(engine.db)
    expect(await statementOf(engine)).toMatchObject({
      credits: [],
      spending: [],
      closingNano: 0n,
      differenceNano: 0n,
    })
    expect(await readStatement(engine, 'nobody', { fromMs: 1, toMs: 2 }, nowMs)).toBeUndefined()
  })
})
