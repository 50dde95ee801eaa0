import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { fillDatabase } from '../../../bench/fill/fill-database.ts'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const size = { keys: 300, rows: 4_000 }

/** The last step of a fill fails, as with a statement timeout. */
const breakLastStep = {
  sqlite: [
    `CREATE TRIGGER no_credit BEFORE INSERT ON credit BEGIN SELECT RAISE(ABORT, 'no credit'); END`,
  ],
  postgres: [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no credit'; END $$`,
    'CREATE TRIGGER no_credit BEFORE INSERT ON credit FOR EACH ROW EXECUTE FUNCTION refuse()',
  ],
} as const
const repairLastStep = {
  sqlite: 'DROP TRIGGER no_credit',
  postgres: 'DROP TRIGGER no_credit ON credit',
} as const

async function fill(engine: Engine): Promise<void> {
  await fillDatabase(engine, size, Date.now(), () => undefined)
}

async function count(engine: Engine, table: 'account' | 'entry'): Promise<number> {
  const { rows } = await sql<{
    count: bigint
  }>`SELECT COUNT(*) AS count FROM ${sql.table(table)}`.execute(engine.db)
  return Number(rows[0]?.count)
}

describe('npm run fill', () => {
  for (const fixture of engineFixtures('npm run fill')) {
    test(`on ${fixture.kind}: a fill that fails leaves nothing, a repeated one fills, and the ledger balances`, async () => {
      const engine = await fixture.openMigrated()
      for (const text of breakLastStep[fixture.kind]) await sql.raw(text).execute(engine.db)
      const failure = await fill(engine).catch((error: unknown) => String(error))
      expect(failure).toContain('no credit')
      expect(await count(engine, 'account')).toBe(0)
      expect(await count(engine, 'entry')).toBe(0)
      expect(await findImbalances(engine)).toEqual([])
      await sql.raw(repairLastStep[fixture.kind]).execute(engine.db)
      await fill(engine)
      expect(await count(engine, 'account')).toBe(3)
      expect(await count(engine, 'entry')).toBeGreaterThan(3_000)
      expect(await findImbalances(engine)).toEqual([])
    })
  }
})
