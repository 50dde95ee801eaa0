import type { LimitValues, OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { LimitRefusal, type Permit } from '../../../src/limits/limiter.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { databaseNow } from '../../../src/store/rows/database-now.ts'
import { clockedEngine } from './clocked-engine.ts'
import { losableEngine } from './losable-engine.ts'
import { openReplica, type Replica, type ReplicaOptions } from './open-replica.ts'

/* Replicas that count small limits in the database, on a clock that only a test moves. */

const stepMs = 100
const databaseStartMs = 1_000_000_000
const none: LimitValues = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
}

export const limitOf = (values: Partial<LimitValues>, id = 'k'): OwnedLimits => ({
  owner: 'key',
  name: `key:${id}`,
  values: { ...none, ...values },
})

export interface Cluster {
  readonly engine: Engine
  /** The replicas that run, all of which have been told of each other. */
  start(...names: readonly string[]): Promise<Replica[]>
  /** Time passes in which the replicas exchange what they know. */
  pass(ms: number, of?: readonly Replica[]): Promise<void>
  /** These replicas, and no others, have lost the database from now on. */
  lose(...names: readonly string[]): void
}

export function clusterOn(
  given: Engine,
  how: Pick<ReplicaOptions, 'onLost' | 'paceMs'> = {},
): Cluster {
  let nowMs = 1_000
  const engine = clockedEngine(given, () => databaseStartMs + nowMs)
  const running: Replica[] = []
  let lost: readonly string[] = []
  const pass: Cluster['pass'] = async (ms, of = running) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += stepMs) {
      if (nowMs % 500 !== 0) continue
      const seen_at = databaseNow(engine)
      const reports = engine.db.updateTable('replica').set({ seen_at })
      await reports.where('id', 'not in', ['', ...lost]).execute()
      for (const each of of) await each.shares.sync()
    }
  }
  const start: Cluster['start'] = async (...names) => {
    const onLost = (error: unknown) => {
      if (lost.length === 0) throw error
    }
    const options = { nowMs: () => nowMs, isCounting: true, onLost, ...how }
    const started: Replica[] = []
    for (const name of names) {
      const own = losableEngine(engine, () => lost.includes(name))
      started.push(await openReplica(own, name, options))
    }
    running.push(...started)
    await pass(3_000)
    return started
  }
  const lose: Cluster['lose'] = (...names) => {
    lost = names
  }
  return { engine, start, pass, lose }
}

export async function permitOf(
  replica: Replica | undefined,
  owned: OwnedLimits,
  tokens = 1,
): Promise<Permit | undefined> {
  const verdict = await replica?.limiter.admit([owned], tokens)
  return verdict instanceof LimitRefusal || !verdict ? undefined : verdict
}

/** How many of so many requests are admitted, each at the next replica. */
export async function admitted(
  replicas: readonly Replica[],
  owned: OwnedLimits,
  requests: number,
  tokens = 1,
): Promise<number> {
  const permits = await Promise.all(
    Array.from({ length: requests }, (_, index) =>
      permitOf(replicas[index % replicas.length], owned, tokens),
    ),
  )
  return permits.filter((permit) => permit !== undefined).length
}
