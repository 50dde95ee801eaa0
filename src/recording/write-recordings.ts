import { type Insertable, sql } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { RecordingTable } from '../store/tables/recording-tables.ts'
import { deleteRows, type RecordingTx } from './delete-rows.ts'

export interface NewRecording {
  readonly atMs: number
  readonly row: Insertable<RecordingTable>
}

/** Old recordings that are deleted at a time to make room. */
const rowsAtOnce = 100

/**
 * Writes recordings of one account. Skips those of end users who were erased since, and all if the account has stopped
 * recording. The oldest recordings make room for new ones. Returns how many are too large on their own.
 */
export async function writeRecordings(
  engine: Engine,
  accountId: string,
  recordings: readonly NewRecording[],
  bytesMax: number,
): Promise<number> {
  return engine.db.transaction().execute(async (tx) => {
    const policy = await lockPolicy(tx, accountId)
    if (!policy || policy.scope === 'off') return 0
    const erasedAt = await findErasures(tx, accountId, recordings)
    const wanted = recordings.filter(({ atMs, row }) =>
      [row.end_user_hash, row.other_user_hash].every(
        (hash) => atMs > (erasedAt.get(hash ?? '') ?? Number.NEGATIVE_INFINITY),
      ),
    )
    const fitting = wanted.filter(({ row }) => row.stored_bytes <= bytesMax)
    let stored = policy.stored_bytes
    for (const { row } of fitting) {
      const overBytes = stored + row.stored_bytes - bytesMax
      if (overBytes > 0) stored -= await makeRoom(tx, accountId, overBytes)
      const result = await tx
        .insertInto('recording')
        .values(row)
        .onConflict((conflict) => conflict.column('request_id').doNothing())
        .executeTakeFirst()
      if (result.numInsertedOrUpdatedRows === 0n) continue
      await addBytes(tx, accountId, row.stored_bytes)
      stored += row.stored_bytes
    }
    return wanted.length - fitting.length
  })
}

/** Whoever writes or deletes recordings of an account waits here for others who do. */
export async function lockPolicy(
  tx: RecordingTx,
  accountId: string,
): Promise<{ readonly scope: string; readonly stored_bytes: number } | undefined> {
  return tx
    .updateTable('recording_policy')
    .set({ stored_bytes: sql`stored_bytes` })
    .where('account_id', '=', accountId)
    .returning(['scope', 'stored_bytes'])
    .executeTakeFirst()
}

async function findErasures(
  tx: RecordingTx,
  accountId: string,
  recordings: readonly NewRecording[],
): Promise<ReadonlyMap<string, number>> {
  const hashes = recordings
    .flatMap(({ row }) => [row.end_user_hash, row.other_user_hash])
    .filter((hash) => typeof hash === 'string')
  if (hashes.length === 0) return new Map()
  const rows = await tx
    .selectFrom('recording_erasure')
    .select(['user_hash', 'at'])
    .where('account_id', '=', accountId)
    .where('user_hash', 'in', hashes)
    .execute()
  return new Map(rows.map((row) => [row.user_hash, row.at]))
}

/** Deletes the oldest recordings until so many bytes are free. Returns the freed bytes. */
async function makeRoom(tx: RecordingTx, accountId: string, bytes: number): Promise<number> {
  let freed = 0
  while (freed < bytes) {
    const oldest = await tx
      .selectFrom('recording')
      .select(['request_id', 'stored_bytes'])
      .where('account_id', '=', accountId)
      .orderBy('request_id')
      .limit(rowsAtOnce)
      .execute()
    if (oldest.length === 0) return freed
    const enough: typeof oldest = []
    for (const row of oldest) {
      if (freed >= bytes) break
      enough.push(row)
      freed += row.stored_bytes
    }
    await deleteRows(tx, accountId, enough)
  }
  return freed
}

async function addBytes(tx: RecordingTx, accountId: string, bytes: number): Promise<void> {
  await tx
    .updateTable('recording_policy')
    .set({ stored_bytes: sql`stored_bytes + ${bytes}` })
    .where('account_id', '=', accountId)
    .execute()
}
