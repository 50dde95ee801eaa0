import type { Engine } from '../store/engine.ts'
import { deleteAll, insertAll } from '../store/rows/in-slices.ts'
import { type AlertSource, storedKinds } from './alert-source.ts'

type Database = Engine['db']

/** The names of the conditions that were reported and are not over. */
export async function findCrossed(
  db: Database,
  alertId: string,
  source: AlertSource,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('alert_crossing')
    .select('subject')
    .where('alert_id', '=', alertId)
    .where('kind', 'in', storedKinds(source))
    .execute()
  return new Set(rows.map(({ subject }) => subject))
}

export async function addCrossings(
  tx: Database,
  alertId: string,
  source: AlertSource,
  names: readonly string[],
  nowMs: number,
): Promise<void> {
  const rows = storedKinds(source).flatMap((kind) =>
    names.map((subject) => ({ alert_id: alertId, kind, subject, since: nowMs })),
  )
  await insertAll(rows, (some) => tx.insertInto('alert_crossing').values(some).execute())
}

/** These conditions are over, so each is reported when it begins again. */
export async function deleteCrossings(
  tx: Database,
  alertId: string,
  source: AlertSource,
  names: readonly string[],
): Promise<void> {
  await deleteAll(names, (some) =>
    tx
      .deleteFrom('alert_crossing')
      .where('alert_id', '=', alertId)
      .where('kind', 'in', storedKinds(source))
      .where('subject', 'in', some)
      .execute(),
  )
}
