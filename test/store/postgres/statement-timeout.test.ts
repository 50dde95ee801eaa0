import { afterEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { findImbalances } from '../../../src/ledger/audit/conservation.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { type PostgresLimits, postgresLimits } from '../../../src/store/postgres/limits.ts'
import { openPostgres } from '../../../src/store/postgres/postgres-engine.ts'
import { eventually } from '../../support/eventually.ts'
import { patience } from '../../support/patience.ts'
import { freshDatabase } from '../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../support/postgres/postgres-server-url.ts'
import {
  costing,
  endTest,
  holdRequest,
  openFunds,
  openReplica,
  readFunds,
} from '../ledger/ledger-helpers.ts'

afterEach(endTest)

const name = 'store: statement timeouts of Postgres'
const requests = 40
const creditNano = 1_000_000n
const statementMs = patience(100)

const limits: PostgresLimits = {
  ...postgresLimits,
  serving: { ...postgresLimits.serving, statementMs },
  records: { ...postgresLimits.records, statementMs },
}

/** Every table of the ledger that a change writes to. */
const tables = ['lease', 'api_key', 'account', 'entry', 'replica']

/** One of this many row changes takes longer than the limit. A sequence also counts changes that are rolled back. */
function slowDown(everyNth: number): string {
  return `CREATE OR REPLACE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('changes_seen') % ${everyNth} = 0 THEN PERFORM pg_sleep(600); END IF;
      RETURN NEW;
    END $$`
}
if (postgresServerUrl(name) !== undefined) {
  test(
    `${name}: whichever statement of a transaction is cancelled, the ledger balances and no charge is lost or doubled`,
    async () => {
      const database = await freshDatabase()
      const auditor = await openStore(database.url)
      await migrate(auditor, migrations, 1)
      const engine = await openPostgres(database.url, limits)
      try {
        await openFunds(engine, { creditNano, quotaNano: creditNano })
        const silences: unknown[] = []
        const { ledger } = await openReplica(engine, 'r', undefined, undefined, (error) =>
          silences.push(error),
        )
        await sql.raw('CREATE SEQUENCE changes_seen').execute(auditor.db)
        await sql.raw(slowDown(5)).execute(auditor.db)
        for (const table of tables)
          await sql
            .raw(
              `CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON ${table}
                FOR EACH ROW EXECUTE FUNCTION slow_down()`,
            )
            .execute(auditor.db)
        let settled = 0
        for (let number = 0; number < requests; number += 1) {
          try {
            // So close to the limit that nearly every request needs its own lease.
            const verdict = await ledger.reserve(holdRequest(400_000n, `request-${number}`))
            const { hold } = verdict as { hold: Hold }
            await hold.admitted
            await hold.settleSoon(costing(3n), [])
            settled += 1
          } catch (error) {
            silences.push(error)
          }
          expect(await findImbalances(auditor)).toEqual([])
        }
        expect(silences.map(String).join()).toContain('statement timeout')
        expect(settled).toBeGreaterThan(0)
        // Waits for the statements that are slowed down.
        for (const table of tables)
          await sql.raw(`DROP TRIGGER slow ON ${table}`).execute(auditor.schemaDb)
        // The last cancelled statement may not have been reported yet, and those that wait for it fail with it.
        const last = await eventually('the ledger works again', async () => {
          try {
            const verdict = await ledger.reserve(holdRequest(400_000n, 'last'))
            return verdict.ok ? verdict : undefined
          } catch (error) {
            silences.push(error)
            return undefined
          }
        })
        await last.hold.settleSoon(costing(3n), [])
        settled += 1
        await ledger.shipped()
        await ledger.close()
        const entries = await auditor.db.selectFrom('entry').select('cost_nano').execute()
        expect(entries.map((entry) => entry.cost_nano)).toEqual(Array(settled).fill(3n))
        const spentNano = 3n * BigInt(settled)
        expect(await readFunds(auditor)).toEqual({
          spentNano,
          accountNano: creditNano - spentNano,
          keyNano: creditNano - spentNano,
        })
        expect(await findImbalances(auditor)).toEqual([])
      } finally {
        await engine.close()
        await auditor.close()
        await database.drop()
      }
    },
    patience(60_000),
  )
}
