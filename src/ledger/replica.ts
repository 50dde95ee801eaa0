import type { Engine } from '../store/engine.ts'
import type { LeaseOwner } from './lease-units.ts'

/** Takes the next epoch of this identity: leases of earlier epochs belong to a process that is gone. */
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
