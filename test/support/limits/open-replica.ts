import { CountedLimits } from '../../../src/limits/counted-limits.ts'
import { DatabaseCounts } from '../../../src/limits/database-counts.ts'
import { DatabaseShares } from '../../../src/limits/database-shares.ts'
import type { Limiter } from '../../../src/limits/limiter.ts'
import { PartLimits } from '../../../src/limits/part-limits.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { databaseNow } from '../../../src/store/rows/database-now.ts'

/** The limits of one process on a database, without timers: a test calls `shares.sync()`. */
export interface Replica {
  readonly shares: DatabaseShares
  readonly parts: PartLimits
  readonly limiter: Limiter
  /** All that was sent to the database is there. */
  settled(): Promise<void>
}

export interface ReplicaOptions {
  readonly nowMs: () => number
  /** False: a process of a former version, which divides all limits. */
  readonly isCounting: boolean
  readonly onLost?: (error: unknown) => void
  /** Not 0: the clock has to move on its own. */
  readonly paceMs?: number
}

export async function openReplica(
  engine: Engine,
  replica: string,
  { nowMs, isCounting, onLost = rethrow, paceMs = 0 }: ReplicaOptions,
): Promise<Replica> {
  await engine.db
    .insertInto('replica')
    .values({
      id: replica,
      epoch: 1,
      lived_epoch: 1,
      settled_epoch: null,
      seen_at: databaseNow(engine),
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: databaseNow(engine) }))
    .execute()
  const counts = isCounting
    ? new DatabaseCounts({
        engine,
        replica,
        monotonicMs: nowMs,
        paceMs,
        local: () => parts,
        runningMax: () => shares.runningMax,
        isTold: () => shares.isTold,
        isCounting: () => shares.isCounting,
        isAlive: (other) => shares.isAlive(other),
        onLost: (error) => {
          shares.loseCounts()
          onLost(error)
        },
      })
    : undefined
  const shares: DatabaseShares = new DatabaseShares({
    engine,
    replica,
    monotonicMs: nowMs,
    elapsedMs: nowMs,
    isNeeded: () => true,
    runningOf: (name) => parts.runningOf(name),
    used: () => parts.used(),
    onError: onLost,
    ...(counts && { counts }),
  })
  const parts: PartLimits = new PartLimits(nowMs, shares)
  const limiter = counts ? new CountedLimits(parts, shares, counts) : parts
  return { shares, parts, limiter, settled: async () => counts?.close() }
}

function rethrow(error: unknown): never {
  throw error
}
