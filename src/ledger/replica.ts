import type { Engine } from '../store/engine.ts'
import type { LeaseOwner } from './lease-units.ts'

export const replicaTimes = {
  seenEveryMs: 5_000,
  /** A replica that has not been seen for this long is taken for dead. */
  deadAfterMs: 30_000,
}

/** Takes the next epoch of an identity: whoever had an earlier one is granted nothing any more. */
export async function takeEpoch(
  engine: Engine,
  replica: string,
  nowMs: number,
): Promise<LeaseOwner> {
  const row = await engine.db
    .insertInto('replica')
    .values({ id: replica, epoch: 1, seen_at: nowMs })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        epoch: eb('replica.epoch', '+', 1),
        seen_at: nowMs,
      })),
    )
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return { replica, epoch: row.epoch }
}

/** Says that this replica lives; false when another process has taken its identity. */
export async function showLife(engine: Engine, owner: LeaseOwner, nowMs: number): Promise<boolean> {
  const result = await engine.db
    .updateTable('replica')
    .set({ seen_at: nowMs })
    .where('id', '=', owner.replica)
    .where('epoch', '=', owner.epoch)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Whether the process that had this identity in this epoch is gone. */
export async function isDead(
  engine: Engine,
  owner: LeaseOwner,
  nowMs: number,
  trustsSilence: boolean,
): Promise<boolean> {
  const row = await engine.db
    .selectFrom('replica')
    .select(['epoch', 'seen_at'])
    .where('id', '=', owner.replica)
    .executeTakeFirst()
  if (!row || row.epoch > owner.epoch) return true
  return trustsSilence && nowMs - row.seen_at > replicaTimes.deadAfterMs
}
