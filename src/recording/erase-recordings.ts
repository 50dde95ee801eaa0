import { firstRequestIdAt } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { deleteRows, type RecordingTx } from './delete-rows.ts'
import { endUserHash } from './end-user-hash.ts'
import { lockPolicy } from './write-recordings.ts'

const rowsAtOnce = 500
const dayMs = 24 * 60 * 60_000
/** Longer than any request takes, and longer than a recording waits for its database. */
const erasureMs = dayMs

/** The clocks of two processes differ by less. */
const aheadMs = 10_000

export interface Erasure {
  readonly accountId: string
  readonly endUser: string
  readonly nowMs: number
}

/**
 * Deletes every recording of an end user, and stops those of requests that are still running or that another process has
 * yet to write. Returns the number of deleted recordings.
 */
export async function eraseRecordings(
  { db }: Engine,
  vault: Vault,
  { accountId, endUser, nowMs }: Erasure,
): Promise<number> {
  const hash = endUserHash(vault, accountId, endUser)
  const at = nowMs + aheadMs
  await db.transaction().execute(async (tx) => {
    await lockPolicy(tx, accountId)
    await tx
      .insertInto('recording_erasure')
      .values({ account_id: accountId, user_hash: hash, at })
      .onConflict((conflict) => conflict.columns(['account_id', 'user_hash']).doUpdateSet({ at }))
      .execute()
  })
  let count = 0
  for (const column of ['end_user_hash', 'other_user_hash'] as const) {
    for (;;) {
      const deleted = await db
        .transaction()
        .execute((tx) =>
          deleteSome(tx, accountId, () =>
            tx
              .selectFrom('recording')
              .select(['request_id', 'stored_bytes'])
              .where('account_id', '=', accountId)
              .where(column, '=', hash)
              .limit(rowsAtOnce)
              .execute(),
          ),
        )
      if (deleted === 0) break
      count += deleted
    }
  }
  return count
}

/** Deletes expired recordings, a bounded number at a time. Returns how many were deleted. */
export async function sweepRecordings(
  { db }: Engine,
  nowMs: number,
  retentionMsMax: number,
): Promise<number> {
  await db
    .deleteFrom('recording_erasure')
    .where('at', '<', nowMs - erasureMs)
    .execute()
  const policies = await db
    .selectFrom('recording_policy')
    .select(['account_id', 'retention_days'])
    .where('stored_bytes', '>', 0)
    .execute()
  let count = 0
  for (const { account_id: accountId, retention_days: days } of policies) {
    const beforeId = recordingsFrom(nowMs, days, retentionMsMax)
    count += await db
      .transaction()
      .execute((tx) =>
        deleteSome(tx, accountId, () =>
          tx
            .selectFrom('recording')
            .select(['request_id', 'stored_bytes'])
            .where('account_id', '=', accountId)
            .where('request_id', '<', beforeId)
            .orderBy('request_id')
            .limit(rowsAtOnce)
            .execute(),
        ),
      )
  }
  return count
}

/** The first request id that has not expired. */
export function recordingsFrom(nowMs: number, days: number, retentionMsMax: number): string {
  return firstRequestIdAt(Math.max(0, nowMs - Math.min(days * dayMs, retentionMsMax)))
}

async function deleteSome(
  tx: RecordingTx,
  accountId: string,
  find: () => Promise<{ request_id: string; stored_bytes: number }[]>,
): Promise<number> {
  await lockPolicy(tx, accountId)
  const rows = await find()
  await deleteRows(tx, accountId, rows)
  return rows.length
}
