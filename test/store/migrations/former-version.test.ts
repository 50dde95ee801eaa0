import { describe, expect, test } from 'bun:test'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import { noUsage } from '../../../src/core/money/usage.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import { settleRecord } from '../../../src/ledger/journal/settle-record.ts'
import { findRecording } from '../../../src/recording/read-recordings.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { SqlStatement } from '../../../src/store/units/sql-statement.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { seedRecording } from '../../support/store/recording-seed.ts'
import { tools } from '../../support/store/row-helpers.ts'
import {
  BudgetWorld,
  dayMs,
  eachNano,
  midnightMs,
  settle,
  timeoutMs,
} from '../budgets/budget-world.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'

/*
 * A replica of the version before budgets, owners, rate limits and recordings (migrations 0020 to 0033) runs beside the
 * present one during an upgrade. These are its statements that move money, without the choice of the amount.
 */
const insertLease = (clockSql: string): string => `INSERT INTO lease
  (id, replica, epoch, account_id, key_id, granted_nano, used_nano, version, created_at, reclaim_at)
  SELECT CAST(? AS TEXT), replica, epoch, account_id, key_id, CAST(? AS BIGINT),
    0, 1, ${clockSql}, ${clockSql} + CAST(? AS BIGINT)
  FROM (
    SELECT r.id AS replica, r.epoch AS epoch, a.id AS account_id, k.id AS key_id,
      CASE WHEN k.available_nano < a.available_nano THEN k.available_nano ELSE a.available_nano END
        AS rest_nano
    FROM api_key k JOIN account a ON a.id = k.account_id, replica r
    WHERE k.id = ? AND a.id = ? AND r.id = ? AND r.epoch = ?
      AND NOT EXISTS (
        SELECT 1 FROM audit_stop s WHERE s.account_id = a.id AND s.released_at IS NULL)) AS purse
  WHERE rest_nano >= CAST(? AS BIGINT)
  ON CONFLICT (id) DO NOTHING`
const takeFromKey = `UPDATE api_key
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ? AND available_nano IS NOT NULL`
const takeFromAccount = `UPDATE account
  SET available_nano = available_nano - (SELECT granted_nano FROM lease WHERE id = ?)
  WHERE id = ?`
const giveRestToKey = `UPDATE api_key SET
  available_nano = available_nano + (SELECT granted_nano - used_nano FROM lease WHERE id = ?),
  spent_nano = spent_nano + (SELECT used_nano FROM lease WHERE id = ?)
  WHERE id = ? AND EXISTS (SELECT 1 FROM lease WHERE id = ?)`
const giveRestToAccount = `UPDATE account SET
  available_nano = available_nano + (SELECT granted_nano - used_nano FROM lease WHERE id = ?)
  WHERE id = ? AND EXISTS (SELECT 1 FROM lease WHERE id = ?)`
const shrinkLease =
  'UPDATE lease SET granted_nano = ?, version = version + 1 WHERE id = ? AND version = ? AND granted_nano = ?'

function formerReplica({ engine }: BudgetWorld) {
  const run = async (statements: SqlStatement[]) =>
    (await engine.runUnits([{ locks: { keyId: 'k', accountId: 'acme' }, statements }]))[0]
  return {
    grant: async (id: string, nano: bigint): Promise<boolean> => {
      const when = [[0, 'changed']] as const
      const values = [id, nano, 60_000, 'k', 'acme', 'old', 1, nano]
      const result = await run([
        { sql: insertLease(engine.clockSql), values },
        { sql: takeFromKey, values: [id, 'k'], when },
        { sql: takeFromAccount, values: [id, 'acme'], when },
        { sql: 'SELECT granted_nano FROM lease WHERE id = ?', values: [id] },
      ])
      return result?.[3]?.rows[0]?.['granted_nano'] === nano
    },
    settle: (leaseId: string, requestId: string) =>
      // Without counters the record has the shape that the former version knows.
      engine.applyRecords([
        JSON.stringify([
          settleRecord(
            { requestId, accountId: 'acme', keyId: 'k', leaseId },
            {
              costNano: eachNano,
              usage: noUsage,
              usageSource: 'upstream',
              priceVersionId: 'p',
              factorMicro: 1_000_000n,
              flags: [],
            },
          ),
        ]),
      ]),
    shrink: (id: string, fromNano: bigint, toNano: bigint) =>
      run([
        { sql: shrinkLease, values: [toNano, id, 1, fromNano] },
        {
          sql: 'UPDATE account SET available_nano = available_nano + ? WHERE id = ?',
          values: [fromNano - toNano, 'acme'],
          when: [[0, 'changed']],
        },
      ]),
    close: (id: string) =>
      run([
        { sql: giveRestToKey, values: [id, id, 'k', id] },
        { sql: giveRestToAccount, values: [id, 'acme', id] },
        { sql: 'DELETE FROM lease WHERE id = ?', values: [id] },
      ]),
  }
}

describe.each(engineFixtures('former-version'))('a replica before 0020 on $kind', (fixture) => {
  async function open() {
    const world = new BudgetWorld(await fixture.openMigrated())
    await world.open(midnightMs + dayMs / 2)
    await world.process('old')
    const ledger = await world.process('new')
    const balanced = async () => expect(await findImbalances(world.engine)).toEqual([])
    return { world, ledger, old: formerReplica(world), balanced }
  }

  test(
    'grants, settles, shrinks and closes beside the present version, and the ledger balances',
    async () => {
      const { world, ledger, old, balanced } = await open()
      const place = { engine: world.engine, vault: tools.vault, nowMs: () => Date.now() }
      const recordingId = await seedRecording(place)
      expect(await old.grant('lease-old', 10n * eachNano)).toBe(true)
      settle(holdOf(await ledger.reserve(world.request())))
      await old.settle('lease-old', 'request-old-1')
      await balanced()
      await old.settle('lease-old', 'request-old-1')
      await old.shrink('lease-old', 10n * eachNano, 5n * eachNano)
      await balanced()
      await old.close('lease-old')
      await old.settle('lease-old', 'request-old-2')
      await balanced()
      await world.close()
      const entries = await world.engine.db.selectFrom('entry').select('request_id').execute()
      expect(entries).toHaveLength(3)
      const found = await findRecording(world.engine.db, tools.vault, recordingId)
      expect(found?.content.endUsers).toEqual(['ann'])
    },
    timeoutMs,
  )

  test.each(['key', 'account'] as const)(
    'a budget of the %s is not exceeded: the replica gets no new money, and settles its running requests',
    async (owner) => {
      const { world, ledger, old, balanced } = await open()
      expect(await old.grant('lease-old', 10n * eachNano)).toBe(true)
      const limits = { dailyNano: 3n * eachNano }
      if (owner === 'key') await world.limitKey(limits)
      else await write(world.engine, 1, (writing) => changeAccount(writing, 'acme', limits))
      expect(await old.grant('lease-more', eachNano)).toBe(false)
      await balanced()
      for (let count = 0; count < 3; count += 1)
        settle(holdOf(await ledger.reserve(world.request())))
      expect((await ledger.reserve(world.request())).ok).toBe(false)
      await old.settle('lease-old', 'request-old-1')
      await old.close('lease-old')
      await balanced()
      await world.close()
      expect(await world.counters()).toMatchObject([
        { available_nano: 0n, spent_nano: 3n * eachNano },
      ])
    },
    timeoutMs,
  )
})
