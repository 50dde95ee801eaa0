import { sql } from 'kysely'
import { newRequestId } from '../../../../src/core/id.ts'
import type { ConsoleFixture } from '../../../support/console/console-fixture.ts'

/** Long enough in total that no socket buffers all rows: each line contains the name of its key. */
export const rowsMade = 15_000
const keyName = 'k'.repeat(2_000)

/** Copies one row of acme, in one statement. */
export async function fillLog(fixture: ConsoleFixture): Promise<void> {
  const { db } = fixture.engine
  const row = await db
    .selectFrom('usage_row')
    .selectAll()
    .where('account_id', '=', 'acme')
    .limit(1)
    .executeTakeFirstOrThrow()
  await db.updateTable('api_key').set({ name: keyName }).where('id', '=', row.key_id).execute()
  const ids = Array.from({ length: rowsMade }, (_, made) => newRequestId(fixture.nowMs() - made))
  const others = Object.keys(row).filter((name) => name !== 'request_id')
  const columns = sql.join(others.map((name) => sql.ref(name)))
  const values = sql.join(others.map((name) => sql.ref(`usage_row.${name}`)))
  await sql`
    INSERT INTO usage_row (request_id, ${columns})
    SELECT made.value, ${values} FROM usage_row, json_each(${JSON.stringify(ids)}) AS made
    WHERE usage_row.request_id = ${row.request_id}`.execute(db)
}
