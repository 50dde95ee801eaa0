import { sql } from 'kysely'
import type { LimitKind } from '../core/rate-limit.ts'
import { databaseNow } from '../store/database-now.ts'
import type { Engine } from '../store/engine.ts'
import { insertAll } from '../store/in-slices.ts'
import { allot, type Demand } from './allot.ts'
import type { Allotment } from './counters.ts'
import { DemandWindow } from './demand-window.ts'

/** How often a process announces its demand and reads that of the others. */
const syncEveryMs = 500
/** The same, while no request has a limit. */
const idleSyncEveryMs = 1_000
/** Requests without limits for this long mean that no limit is in use. */
const idleAfterMs = 60_000
/**
 * An announced demand counts from this time on. By then every process has read it, so all of them calculate with the
 * same demands, and their parts never exceed the limit together.
 */
const settleMs = 2_000
/** A process that the database has not heard of for this long is gone. Processes report every 5 s. */
const goneMs = 15_000
/** A demand is announced anew after this time, or when it has changed by more than a fifth. */
const repeatMs = 20_000
const changedBy = 0.2
/** An announcement that was not repeated for this long does not count. */
const forgottenMs = 60_000
/** The limits whose demand one process announces. All further ones are shared equally. */
const announcedMax = 2_000
/** The announcements of all processes that one reading accepts. */
const readMax = 20_000
/** Announcements are read again for this time, because transactions may end out of order. */
const overlapMs = 5_000

interface OwnDemand {
  readonly window: DemandWindow
  announced: number | undefined
  announcedAtMs: number
}

interface Announcement {
  readonly replica: string
  readonly demand: number
  /** The demand that was announced before. */
  readonly earlier: number
  readonly changedAt: number
  readonly seenAt: number
}

export interface DatabaseSharesDeps {
  readonly engine: Engine
  readonly replica: string
  readonly monotonicMs: () => number
  /** False while a server counts for all replicas. */
  readonly isNeeded: () => boolean
  onError(error: unknown): void
}

/**
 * Shares limits among the processes on one database without waiting for the database: each process announces what its
 * requests want, and uses the part of each limit that all of them calculate from the announcements.
 */
export class DatabaseShares implements Allotment {
  readonly #deps: DatabaseSharesDeps
  readonly #own = new Map<string, OwnDemand>()
  readonly #heard = new Map<string, Map<string, Announcement>>()
  #replicas: readonly string[]
  #version = 0
  /** The time of the database minus that of this process. */
  #offsetMs = 0
  #readAtMs = Number.NEGATIVE_INFINITY
  #readUpTo = 0
  #usedAtMs = Number.NEGATIVE_INFINITY
  #isIdle = true
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: DatabaseSharesDeps) {
    this.#deps = deps
    this.#replicas = [deps.replica]
  }

  get version(): number {
    return this.#version
  }

  /** The processes that share the limits. */
  get replicas(): number {
    return this.#replicas.length
  }

  /** Reads the list of processes, then keeps syncing in the background. */
  async open(): Promise<void> {
    await this.sync()
    this.#later()
  }

  partOf(name: string, kind: LimitKind, limit: number): number {
    const { replica, monotonicMs } = this.#deps
    if (this.#replicas.length < 2) return limit
    const localMs = monotonicMs()
    const heard = this.#heard.get(`${kind} ${name}`)
    const isFresh = localMs - this.#readAtMs <= settleMs
    const demands = this.#replicas.map(
      (each): Demand => ({
        replica: each,
        count: isFresh ? countAt(heard?.get(each), localMs + this.#offsetMs) : 0,
      }),
    )
    return allot(limit, demands).get(replica) ?? 0
  }

  isInUse(nowMs: number): boolean {
    this.#usedAtMs = nowMs
    if (this.#isIdle) this.#wake()
    return this.#replicas.length > 1 && this.#deps.isNeeded()
  }

  note(name: string, kind: LimitKind, count: number, nowMs: number): void {
    const key = `${kind} ${name}`
    let own = this.#own.get(key)
    if (!own) {
      if (this.#own.size >= announcedMax) return
      own = {
        window: new DemandWindow(kind === 'concurrent'),
        announced: undefined,
        announcedAtMs: 0,
      }
      this.#own.set(key, own)
    }
    own.window.note(count, nowMs)
  }

  /** Announces and reads once. */
  async sync(): Promise<void> {
    const wasShared = this.#replicas.length > 1
    try {
      await this.#readReplicas()
      if (this.#replicas.length > 1 && this.#deps.isNeeded()) {
        await this.#announce()
        await this.#read()
      }
    } catch (error) {
      this.#deps.onError(error)
    }
    if (this.#replicas.length > 1 || wasShared) this.#version += 1
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #later(afterMs?: number): void {
    if (this.#isClosed) return
    this.#isIdle = this.#deps.monotonicMs() - this.#usedAtMs > idleAfterMs
    const pauseMs = afterMs ?? (this.#isIdle ? idleSyncEveryMs : syncEveryMs)
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#running = this.sync().then(() => this.#later())
    }, pauseMs)
    this.#timer.unref()
  }

  /** A limit is in use again. */
  #wake(): void {
    this.#isIdle = false
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#later(0)
  }

  async #readReplicas(): Promise<void> {
    const { engine, monotonicMs, replica } = this.#deps
    const now = databaseNow(engine)
    const rows = await engine.db
      .selectFrom('replica')
      .select(['id', now.as('now')])
      .where('seen_at', '>', sql<number>`${now} - ${sql.lit(goneMs)}`)
      .where((eb) =>
        eb.or([eb('lived_epoch', 'is', null), eb('lived_epoch', '=', eb.ref('epoch'))]),
      )
      .orderBy('id')
      .execute()
    const [first] = rows
    if (first) this.#offsetMs = first.now - monotonicMs()
    this.#replicas = [...new Set([...rows.map(({ id }) => id), replica])].toSorted()
  }

  async #announce(): Promise<void> {
    const { engine, replica, monotonicMs } = this.#deps
    const nowMs = monotonicMs()
    const changed: { name: string; demand: number; earlier: number; own: OwnDemand }[] = []
    for (const [name, own] of this.#own) {
      const demand = own.window.total(nowMs)
      const earlier = own.announced ?? 0
      const ageMs = nowMs - own.announcedAtMs
      if (demand === 0 && earlier === 0 && own.announced !== undefined && ageMs > forgottenMs) {
        this.#own.delete(name)
        continue
      }
      const isChanged = Math.abs(demand - earlier) > changedBy * Math.max(demand, earlier)
      const isDue = own.announced === undefined || (isChanged ? ageMs > settleMs : ageMs > repeatMs)
      if (isDue) changed.push({ name, demand, earlier, own })
    }
    if (changed.length === 0) return
    const at = databaseNow(engine)
    await insertAll(changed, (some) =>
      engine.db
        .insertInto('rate_demand')
        .values(
          some.map(({ name, demand, earlier }) => ({
            replica,
            name,
            demand,
            earlier,
            changed_at: at,
            seen_at: at,
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['replica', 'name']).doUpdateSet((eb) => ({
            demand: eb.ref('excluded.demand'),
            earlier: eb.ref('excluded.earlier'),
            changed_at: eb.ref('excluded.changed_at'),
            seen_at: eb.ref('excluded.seen_at'),
          })),
        )
        .execute(),
    )
    for (const { own, demand } of changed) {
      own.announced = demand
      own.announcedAtMs = nowMs
    }
    await engine.db
      .deleteFrom('rate_demand')
      .where('replica', '=', replica)
      .where('seen_at', '<', sql<number>`${at} - ${sql.lit(2 * forgottenMs)}`)
      .execute()
  }

  async #read(): Promise<void> {
    const { engine, monotonicMs } = this.#deps
    const startedMs = monotonicMs()
    const rows = await engine.db
      .selectFrom('rate_demand')
      .selectAll()
      .where('seen_at', '>', this.#readUpTo - overlapMs)
      .orderBy('seen_at', 'desc')
      .limit(readMax)
      .execute()
    for (const row of rows) {
      const ofLimit = this.#heard.get(row.name) ?? new Map<string, Announcement>()
      this.#heard.set(row.name, ofLimit)
      ofLimit.set(row.replica, {
        replica: row.replica,
        demand: row.demand,
        earlier: row.earlier,
        changedAt: row.changed_at,
        seenAt: row.seen_at,
      })
      this.#readUpTo = Math.max(this.#readUpTo, row.seen_at)
    }
    const oldest = startedMs + this.#offsetMs - forgottenMs
    for (const [name, ofLimit] of this.#heard) {
      for (const [replica, { seenAt }] of ofLimit) if (seenAt < oldest) ofLimit.delete(replica)
      if (ofLimit.size === 0) this.#heard.delete(name)
    }
    this.#readAtMs = startedMs
  }
}

/** The demand that all processes know at this time of the database. */
function countAt(announcement: Announcement | undefined, databaseMs: number): number {
  if (!announcement) return 0
  const { demand, earlier, changedAt } = announcement
  return databaseMs - changedAt >= settleMs ? demand : earlier
}
