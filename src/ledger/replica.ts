import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { LeaseOwner } from './lease-units.ts'

/** How often a replica asks whether its identity is still its own. */
export const seenEveryMs = 5_000

/** So many others may take the next epoch before us. */
const triesMax = 20

/**
 * Takes the next epoch of an identity: whoever had an earlier one is granted nothing any more. Each step changes only
 * what it has seen, so that the late word of a start that has failed long ago does not end the life of its successor.
 */
export async function takeEpoch(engine: Engine, replica: string): Promise<LeaseOwner> {
  for (let count = 0; count < triesMax; count += 1) {
    const { epoch } = await engine.db
      .insertInto('replica')
      .values({ id: replica, epoch: 0, seen_at: databaseNow(engine) })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({ seen_at: eb.ref('excluded.seen_at') })),
      )
      .returning('epoch')
      .executeTakeFirstOrThrow()
    if (await endEpoch(engine, { replica, epoch })) return { replica, epoch: epoch + 1 }
  }
  throw new Error(`too many processes are being started under the name ${replica}`)
}

/** Says that this replica lives; false when another process has taken its identity. */
export async function showLife(engine: Engine, owner: LeaseOwner): Promise<boolean> {
  const result = await engine.db
    .updateTable('replica')
    .set({ seen_at: databaseNow(engine) })
    .where('id', '=', owner.replica)
    .where('epoch', '=', owner.epoch)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/**
 * From here on a life is granted nothing, should a last word of it still be on its way; false when another has taken
 * its place already.
 */
export async function endEpoch(engine: Engine, owner: LeaseOwner): Promise<boolean> {
  const result = await engine.db
    .updateTable('replica')
    .set((eb) => ({ epoch: eb('epoch', '+', 1), seen_at: databaseNow(engine) }))
    .where('id', '=', owner.replica)
    .where('epoch', '=', owner.epoch)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export function databaseNow({ clockSql }: Engine): RawBuilder<number> {
  return sql<number>`${sql.raw(clockSql)}`
}
