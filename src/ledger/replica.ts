import type { LogEvent } from '../core/telemetry/log-event.ts'
import type { Engine } from '../store/engine.ts'
import { databaseNow } from '../store/rows/database-now.ts'
import type { LeaseOwner } from './leases/lease-units.ts'

/** How often a replica checks that its identity is still its own. */
export const seenEveryMs = 5_000

/** How many other processes may take the next epoch first before this one gives up. */
const triesMax = 20

/** An epoch that was taken, and what the database knows about earlier ones. */
export interface TakenEpoch extends LeaseOwner {
  readonly epochBefore: number
  /** The last life of this name, unless the database knows that its journal is settled. */
  readonly unsettledEpoch: number | undefined
}

/**
 * Takes the next epoch of a replica name; the database grants nothing to earlier epochs any more. Each step changes
 * only the state that it has read, so that a delayed statement of a failed start cannot end the life of its successor.
 * The epoch is above `epochMin`, because a restored database has forgotten epochs whose journals still exist.
 */
export async function takeEpoch(
  engine: Engine,
  replica: string,
  epochMin = 0,
): Promise<TakenEpoch> {
  const { db } = engine
  for (let count = 0; count < triesMax; count += 1) {
    const row = await db
      .insertInto('replica')
      .values({
        id: replica,
        epoch: 0,
        seen_at: databaseNow(engine),
        lived_epoch: null,
        settled_epoch: null,
      })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((eb) => ({ seen_at: eb.ref('excluded.seen_at') })),
      )
      .returning(['epoch', 'lived_epoch', 'settled_epoch'])
      .executeTakeFirstOrThrow()
    const epoch = Math.max(row.epoch, epochMin) + 1
    const result = await db
      .updateTable('replica')
      .set({ epoch, lived_epoch: epoch, seen_at: databaseNow(engine) })
      .where('id', '=', replica)
      .where('epoch', '=', row.epoch)
      .executeTakeFirst()
    if (result.numUpdatedRows === 0n) continue
    const lived = row.lived_epoch ?? 0
    const unsettledEpoch = lived > (row.settled_epoch ?? 0) ? lived : undefined
    return { replica, epoch, epochBefore: row.epoch, unsettledEpoch }
  }
  throw new Error(`too many processes are being started under the name ${replica}`)
}

/** Whether the journal of a process may still have records, as far as the database knows. */
export async function isUnsettled(
  engine: Engine,
  { replica, epoch }: LeaseOwner,
): Promise<boolean> {
  const row = await engine.db
    .selectFrom('replica')
    .select('settled_epoch')
    .where('id', '=', replica)
    .where('lived_epoch', '>=', epoch)
    .executeTakeFirst()
  return row !== undefined && (row.settled_epoch ?? 0) < epoch
}

/** Records that the journal of this life is settled completely. */
export async function markSettled(engine: Engine, { replica, epoch }: LeaseOwner): Promise<void> {
  await engine.db
    .updateTable('replica')
    .set({ settled_epoch: epoch })
    .where('id', '=', replica)
    .where((eb) => eb.or([eb('settled_epoch', 'is', null), eb('settled_epoch', '<', epoch)]))
    .execute()
}

/**
 * Marks a life as settled that has left nothing; false when the database does not accept this. Then the next start must
 * find the journal.
 */
export async function markSettledSafely(deps: {
  readonly engine: Engine
  readonly owner: LeaseOwner
  onError(event: LogEvent, error: unknown): void
}): Promise<boolean> {
  try {
    await markSettled(deps.engine, deps.owner)
    return true
  } catch (error) {
    deps.onError('ledger_not_closed', error)
    return false
  }
}

/** Why the database no longer knows this process under its name; undefined when it does. */
export async function explainLostIdentity(
  engine: Engine,
  { replica, epoch }: LeaseOwner,
): Promise<string | undefined> {
  const row = await engine.db
    .selectFrom('replica')
    .select('epoch')
    .where('id', '=', replica)
    .executeTakeFirst()
  if (row?.epoch === epoch) return undefined
  if (row !== undefined && row.epoch > epoch) {
    return `another process was started as replica "${replica}"; give each process its own name with the setting replica, then restart this one`
  }
  const known = row ? `only epoch ${row.epoch}` : 'nothing'
  return `the database was restored or replaced: it knows ${known} of replica "${replica}", and this process has epoch ${epoch}; restart this process`
}

/** Records that this replica is alive; false when the database has another epoch for the name, or none. */
export async function recordHeartbeat(engine: Engine, owner: LeaseOwner): Promise<boolean> {
  const result = await engine.db
    .updateTable('replica')
    .set({ seen_at: databaseNow(engine) })
    .where('id', '=', owner.replica)
    .where('epoch', '=', owner.epoch)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/**
 * From now on the database grants nothing to this life, even if a statement of it is still on its way; false when a
 * later life has already replaced it.
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
