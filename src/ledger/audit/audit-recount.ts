import { sql } from 'kysely'
import type { Engine, Unit } from '../../store/engine.ts'
import { auditName } from './audit-state.ts'
import { endOfPage } from './entry-pages.ts'

interface Point {
  costNano: bigint
  entries: number
}

const stillThere = 'UPDATE audit_state SET through = through WHERE name = ? AND through = ?'
const putPoint = `INSERT INTO audit_point (key_id, cost_nano, entries)
  VALUES (?, CAST(? AS BIGINT), CAST(? AS BIGINT))
  ON CONFLICT (key_id) DO UPDATE SET cost_nano = excluded.cost_nano, entries = excluded.entries`

/**
 * Counts the entries of some keys again from the first one on. A late entry, from a long request or a recovered
 * process, lies before the audit point and was not counted. This is not an error, and the recount finds it. The recount
 * reads all entries page by page, so it is only for the few keys that do not add up.
 */
export async function recountKeys(
  engine: Engine,
  keyIds: readonly string[],
  throughId: string,
  pageRows: number,
): Promise<void> {
  const points = new Map<string, Point>(keyIds.map((id) => [id, { costNano: 0n, entries: 0 }]))
  for (let atId = ''; atId < throughId; ) {
    const toId = await endOfPage(engine, atId, throughId, pageRows)
    await addPage(engine, points, atId, toId)
    atId = toId
  }
  const puts = [...points].map(([keyId, { costNano, entries }]) => ({
    sql: putPoint,
    values: [keyId, costNano, entries],
    when: [[0, 'changed'] as const],
  }))
  const unit: Unit = {
    statements: [{ sql: stillThere, values: [auditName, throughId] }, ...puts],
  }
  await engine.runUnits([unit])
}

async function addPage(
  { db }: Engine,
  points: ReadonlyMap<string, Point>,
  fromId: string,
  toId: string,
): Promise<void> {
  const rows = await db
    .selectFrom('entry')
    .select([
      'key_id',
      sql<bigint>`CAST(SUM(cost_nano) AS BIGINT)`.as('sum_nano'),
      sql<number>`COUNT(*)`.as('entries'),
    ])
    .where('request_id', '>', fromId)
    .where('request_id', '<=', toId)
    .where('key_id', 'in', [...points.keys()])
    .groupBy('key_id')
    .execute()
  for (const row of rows) {
    const point = points.get(row.key_id)
    if (!point) continue
    point.costNano += row.sum_nano
    point.entries += row.entries
  }
}
