import type { LimitValues, OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { LimitRefusal } from '../../../src/limits/limiter.ts'
import { LocalLimits, LocalPermit } from '../../../src/limits/local-limits.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { clockedEngine } from './clocked-engine.ts'
import { openReplica, type Replica } from './open-replica.ts'

const stepMs = 100
const syncEveryMs = 500
const heartbeatMs = 5_000
const minuteMs = 60_000
/** An arbitrary time of the database. */
const databaseStartMs = 1_000_000_000

/** Requests that arrive within a step: the replica of each. */
export type Arrivals = (atMs: number) => readonly number[]

export interface LoadCase {
  readonly limit: Partial<LimitValues>
  readonly replicas: number
  readonly forMs: number
  readonly arrivals: Arrivals
  readonly tokens?: number
  /** Replicas that start later, and that are killed. */
  readonly startsAt?: Readonly<Record<number, number>>
  readonly killedAt?: Readonly<Record<number, number>>
  /** Small limits are counted in the database. */
  readonly isCounting?: boolean
}

interface Decision {
  readonly atMs: number
  readonly replica: number
  /** Undefined: admitted. */
  readonly waitMs: number | undefined
  readonly isExact: boolean
}

/** Runs requests through replicas on one database, on a clock that only the loop advances. */
export async function runLoad(engine: Engine, given: LoadCase): Promise<readonly Decision[]> {
  const { startsAt = {}, killedAt = {}, tokens = 1, isCounting = false } = given
  let nowMs = 0
  const databaseMs = () => databaseStartMs + nowMs
  const clocked = clockedEngine(engine, databaseMs)
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null }
  const owned: OwnedLimits = { owner: 'key', name: 'key:k', values: { ...none, ...given.limit } }
  const processes = new Map<number, Replica>()
  const start = async (index: number) => {
    const replica = `r${index}`
    const process = await openReplica(clocked, replica, { nowMs: () => nowMs, isCounting })
    processes.set(index, process)
  }
  const exact = new LocalLimits(() => nowMs)
  const decisions: Decision[] = []
  for (; nowMs < given.forMs; nowMs += stepMs) {
    for (let index = 0; index < given.replicas; index += 1) {
      if (nowMs === (startsAt[index] ?? 0)) await start(index)
      if (nowMs === killedAt[index]) {
        await processes.get(index)?.settled()
        processes.delete(index)
      }
      const process = processes.get(index)
      // Replicas do not sync at the same time.
      if ((nowMs + index * stepMs) % syncEveryMs === 0) await process?.shares.sync()
      if (process && nowMs % heartbeatMs === 0)
        await engine.db
          .updateTable('replica')
          .set({ seen_at: databaseMs() })
          .where('id', '=', `r${index}`)
          .execute()
    }
    for (const replica of given.arrivals(nowMs)) {
      const process = processes.get(replica)
      if (!process) throw new Error(`no replica ${replica}`)
      const verdict = await process.limiter.admit([owned], tokens)
      const waitMs = verdict instanceof LimitRefusal ? verdict.waitMs : undefined
      if (!(verdict instanceof LimitRefusal)) verdict.end(tokens)
      const alone = exact.admit([owned], tokens)
      if (alone instanceof LocalPermit) alone.end(tokens)
      const isExact = alone instanceof LocalPermit
      decisions.push({ atMs: nowMs, replica, waitMs, isExact })
    }
  }
  for (const { settled } of processes.values()) await settled()
  return decisions
}

/** By start of each minute that begins after `fromMs`: what the replicas have admitted, and what one process would have. */
export function byMinute(decisions: readonly Decision[], fromMs: number, forMs: number) {
  const minutes: { startMs: number; admitted: number; exact: number }[] = []
  for (let startMs = fromMs; startMs + minuteMs <= forMs; startMs += 1_000) {
    const within = decisions.filter(({ atMs }) => atMs >= startMs && atMs < startMs + minuteMs)
    const admitted = within.filter(({ waitMs }) => waitMs === undefined).length
    minutes.push({ startMs, admitted, exact: within.filter(({ isExact }) => isExact).length })
  }
  return minutes
}

/** How much longer than needed refused requests were asked to wait: until the next one at this replica was admitted. */
export function longestExcessMs(decisions: readonly Decision[]): number {
  const next = new Map<number, number>()
  let excess = 0
  for (const { atMs, replica, waitMs } of decisions.toReversed()) {
    if (waitMs === undefined) next.set(replica, atMs)
    else {
      const admittedAt = next.get(replica)
      if (admittedAt !== undefined) excess = Math.max(excess, atMs + waitMs - admittedAt)
    }
  }
  return excess
}
