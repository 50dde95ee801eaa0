import { setTimeout as setTimeoutOf } from 'node:timers/promises'
import type { LimitKind, OwnedLimits } from '../core/limits/rate-limit.ts'
import type { Allotment, EndedRequest, RateKind } from './allotment.ts'
import {
  AnnouncedDemands,
  countsName,
  type DemandRow,
  joinName,
  occupiedPrefix,
  placesPrefix,
  readName,
} from './announced-demands.ts'
import { CountingState, type CountingStep } from './counting-state.ts'
import { CountsBefore } from './counts-before.ts'
import type { DatabaseSharesDeps } from './database-shares-deps.ts'
import {
  dropOldRows,
  listReplicas,
  readDemands,
  repeatDemands,
  writeDemands,
} from './demand-rows.ts'
import { DemandWindow, isChange } from './demand-window.ts'
import {
  announcedAtOnce,
  announcedMax,
  changedBy,
  exchangeMs,
  forgottenMs,
  goneMs,
  idleAfterMs,
  idleSyncEveryMs,
  joinEveryMs,
  joinTriesMax,
  lostMs,
  occupiedChangedBy,
  overlapMs,
  repeatMs,
  syncEveryMs,
  unknownShare,
} from './exchange-limits.ts'
import { Lease } from './lease.ts'
import { minuteMs } from './rate.ts'
import { isSmall } from './small-limits.ts'
import { UsedBeforeJoin, usedAlone } from './used-before-join.ts'

/**
 * Shares limits among the processes on one database without waiting for the database: each process announces what its
 * requests want, and uses the part of each limit that all of them calculate from the announcements.
 */
export class DatabaseShares implements Allotment {
  readonly #deps: DatabaseSharesDeps
  readonly #own = new Map<string, DemandWindow>()
  #demands: AnnouncedDemands
  /** The sent rows, by name. They may not have arrived. */
  #unsent = new Map<string, DemandRow>()
  #version = 0
  /** The time of the database minus that of this process; never too small. */
  #offsetMs = 0
  readonly #lease: Lease
  /** The processes that may run, this one included: others may have lost only the database. More than one until it is read. */
  #runningMax = 2
  #readUpTo = 0
  #repeatedAtMs = Number.NEGATIVE_INFINITY
  #usedAtMs = Number.NEGATIVE_INFINITY
  #isIdle = true
  readonly #countsBefore: CountsBefore
  readonly #usedBefore: UsedBeforeJoin
  readonly #counting = new CountingState()
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(deps: DatabaseSharesDeps) {
    this.#deps = deps
    this.#lease = new Lease(deps)
    this.#usedBefore = new UsedBeforeJoin(deps.elapsedMs)
    this.#countsBefore = new CountsBefore(deps.elapsedMs)
    this.#demands = new AnnouncedDemands(deps.replica, [deps.replica], 0)
  }

  get version(): number {
    return this.#version
  }

  get isCounting(): boolean {
    return this.#counting.isOn && !this.#lease.isOver
  }

  get isTold(): boolean {
    return this.#counting.isTold && !this.#lease.isOver
  }

  carry(owned: OwnedLimits, kind: RateKind, count: number): void {
    this.#deps.counts?.carry(owned, kind, count)
  }

  tellEnd(ended: EndedRequest): void {
    this.#deps.counts?.finish(ended)
  }

  /** The database did not count, so this process uses a part of each limit. */
  loseCounts(): void {
    this.#counting.lose(this.#demands.isUncountedKnown, this.#deps.elapsedMs())
    this.#version += 1
  }

  /** Whether another process shares the limits. */
  isAlive(replica: string): boolean {
    return this.#demands.replicas.includes(replica)
  }

  /** The processes that may use the limits, this one included. */
  get runningMax(): number {
    return this.#runningMax
  }

  /** The processes that share the limits with this one, itself included. */
  get replicas(): number {
    return this.#demands.companions
  }

  /** Joins the processes on the database, then keeps syncing in the background. */
  async open(): Promise<void> {
    await this.sync()
    for (let tries = 0; tries < joinTriesMax && !this.#demands.hasJoined; tries += 1) {
      await setTimeoutOf(joinEveryMs)
      await this.sync()
    }
    this.#later()
  }

  partOf(name: string, kind: LimitKind, limit: number): number {
    const isKnown = this.#demands.hasJoined && !this.#lease.isOver
    if (this.#runningMax < 2 || (this.isCounting && isSmall(kind, limit))) return limit
    const occupiedName = kind === 'concurrent' ? `${occupiedPrefix}${name}` : undefined
    if (isKnown && !(this.#mayOthersUseAll && isSmall(kind, limit)))
      return this.#demands.partOf(`${kind} ${name}`, limit, occupiedName)
    const occupied = isKnown && occupiedName ? this.#demands.ownOf(occupiedName)?.demand : 0
    return Math.max(this.#unknownPart(limit), occupied ?? 0)
  }

  /** Whether the others may use all that the database has left of small limits, although it does not count for this. */
  get #mayOthersUseAll(): boolean {
    return this.#deps.counts !== undefined && this.#counting.isOff
  }

  /** The part that this process uses in addition to what the others may use. */
  #unknownPart(limit: number): number {
    return Math.floor((limit * unknownShare) / this.#runningMax)
  }

  isElseUnused(name: string, kind: LimitKind): boolean {
    return !this.#lease.isOver && this.#demands.isElseUnused(`${kind} ${name}`)
  }

  usedByOthers(name: string, kind: RateKind, limit: number): number {
    const key = `${kind} ${name}`
    const used = this.#usedBefore.usedByOthers(key, limit)
    const part = this.partOf(name, kind, limit)
    const notBefore = (former: number, sinceMs: number) =>
      Math.max(used, part - former - (part * sinceMs) / minuteMs)
    const elapsedMs = this.#deps.elapsedMs()
    if (this.#deps.counts && isSmall(kind, limit)) {
      const { dividedAtMs } = this.#counting
      // Before, they could use all of the limit.
      if (dividedAtMs === undefined) return used
      return notBefore(this.#unknownPart(limit), elapsedMs - dividedAtMs)
    }
    const former = this.#demands.formerPart(key, limit)
    return notBefore(former.part, elapsedMs + this.#offsetMs - former.untilMs)
  }

  countedMs(name: string, kind: RateKind): number {
    return this.#countsBefore.leftMs(name, kind)
  }

  /**
   * How long a request waits that has to wait this long for the present part of this process: no longer than until the
   * next exchange, if the process gets more of the limit then.
   */
  waitWithNextPart(name: string, kind: LimitKind, limit: number, waitMs: number): number {
    const { replicas } = this.#demands
    const isSoon = kind === 'concurrent' || waitMs <= exchangeMs
    if (isSoon || replicas.length < 2 || this.#lease.isOver) return waitMs
    const key = `${kind} ${name}`
    const part = this.partOf(name, kind, limit)
    const wanted = this.#own.get(key)?.total(this.#deps.monotonicMs()) ?? 0
    const announced = this.#demands.ownOf(key)?.demand ?? 0
    // A new demand is not known in full yet, and gets up to an equal part.
    const least = isChange(announced, wanted, changedBy) ? Math.floor(limit / replicas.length) : 0
    const next = Math.max(least, this.#demands.expectedPart(key, limit, wanted))
    return next > part ? Math.min(waitMs, exchangeMs + (waitMs * part) / next) : waitMs
  }

  isInUse(nowMs: number): boolean {
    this.#usedAtMs = nowMs
    if (this.#isIdle) this.#wake()
    const isShared = this.#runningMax > 1
    if (isShared && this.#lease.isOver) this.#version += 1
    return isShared && this.#deps.isNeeded()
  }

  note(name: string, kind: LimitKind, count: number, nowMs: number): void {
    this.#windowOf(`${kind} ${name}`)?.note(count, nowMs)
  }

  /** Reads and announces once. */
  async sync(): Promise<void> {
    const wasShared = this.#runningMax > 1
    try {
      const { listed, listedAt } = await this.#readReplicas()
      const isShared = this.#runningMax > 1
      if (isShared) await this.#read()
      else await this.#countAlone()
      this.#demands.list(listed, listedAt, goneMs)
      if (isShared) this.#meet(wasShared)
      // Before the others read that this process knows their demands, it must use no more than they leave to it.
      this.#version += 1
      await this.#beginToTell()
      if (isShared) await this.#announce()
      this.#goTo(this.#stepAllowed())
    } catch (error) {
      // The state of the database is unknown now, so everything is read again.
      this.#readUpTo = 0
      this.#deps.onError(error)
    }
    if (this.#runningMax > 1 || wasShared) this.#version += 1
  }

  /** A process alone notes no demand, but those who join must know what it has used. */
  #meet(wasShared: boolean): void {
    const { monotonicMs, used } = this.#deps
    if (!wasShared)
      for (const [key, count] of usedAlone(used())) this.#windowOf(key)?.note(count, monotonicMs())
    if (this.#demands.hasJoined) this.#usedBefore.learn(this.#demands)
  }

  /** A process that is alone does not ask the database, but begins with what the database has counted. */
  async #countAlone(): Promise<void> {
    const { engine, counts } = this.#deps
    if (counts && (await this.#countsBefore.begin(engine))) this.#version += 1
    await this.#lease.end()
  }

  /** Before the announcement, which tells the others that the database knows what this process has used. */
  async #beginToTell(): Promise<void> {
    const { counts } = this.#deps
    const wasTold = this.#counting.isTold
    if (this.#runningMax < 2 || this.#lease.isOver) this.#goTo('off')
    else if (counts && !wasTold) this.#goTo('told')
    if (!wasTold && this.isTold) await counts?.begin()
  }

  #stepAllowed(): CountingStep {
    if (this.#counting.isTold) return this.#demands.areAllTold ? 'on' : 'told'
    return this.#demands.isUncountedKnown ? 'divided' : 'off'
  }

  #goTo(step: CountingStep): void {
    if (this.#counting.update(step, this.#deps.elapsedMs())) this.#version += 1
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

  #windowOf(key: string): DemandWindow | undefined {
    const known = this.#own.get(key)
    if (known || this.#own.size >= announcedMax) return known
    const made = new DemandWindow(key.startsWith(placesPrefix))
    this.#own.set(key, made)
    return made
  }

  async #readReplicas(): Promise<{ listed: readonly string[]; listedAt: number }> {
    const { engine, elapsedMs, replica } = this.#deps
    const startedMs = elapsedMs()
    const rows = await listReplicas(engine, lostMs)
    const listedAt = rows[0]?.now ?? 0
    const recent = rows.filter(({ seen_at }) => seen_at > listedAt - goneMs)
    const own = recent.find(({ id }) => id === replica)
    // If the report of this process is late, those of the others may be, too: this process is not alone then.
    const others = own ? [] : this.#demands.replicas
    const listed = [...new Set([...recent.map(({ id }) => id), ...others, replica])].toSorted()
    this.#runningMax = new Set([...listed, ...rows.map(({ id }) => id)]).size
    this.#offsetMs = listedAt - startedMs
    // The others may have divided the parts of this process.
    if (this.#lease.isOver) this.#joinAnew(listed, listedAt)
    if (own) this.#lease.noteReport(own.seen_at + goneMs - this.#offsetMs)
    return { listed, listedAt }
  }

  #joinAnew(listed: readonly string[], listedAt: number): void {
    this.#usedBefore.join()
    this.#demands = new AnnouncedDemands(this.#deps.replica, listed, listedAt)
    this.#goTo('off')
    this.#unsent.clear()
    this.#readUpTo = 0
    this.#lease.drop()
  }

  async #read(): Promise<void> {
    const { engine, elapsedMs, replica, counts } = this.#deps
    const rows = await readDemands(engine, this.#readUpTo - overlapMs)
    this.#countsBefore.end()
    for (const row of rows) {
      this.#demands.take(row)
      // The row may be from an earlier life of this process.
      const isDemand = counts === undefined || row.name !== countsName
      if (row.replica === replica && isDemand && this.#demands.ownOf(row.name))
        this.#windowOf(row.name)
      this.#readUpTo = Math.max(this.#readUpTo, row.seen_at)
    }
    for (const row of this.#unsent.values()) this.#demands.take(row, true)
    this.#demands.forgetBefore(elapsedMs() + this.#offsetMs - forgottenMs)
  }

  async #announce(): Promise<void> {
    const { engine, elapsedMs, replica } = this.#deps
    // The rows may arrive even if no answer comes, so they count from now on.
    for (const row of this.#rowsToSend()) {
      this.#demands.take(row, true)
      this.#unsent.set(row.name, row)
    }
    await writeDemands(engine, [...this.#unsent.values()])
    this.#unsent.clear()
    if ((await this.#lease.beat()) && this.isTold) this.#deps.counts?.renew()
    if (elapsedMs() - this.#repeatedAtMs < repeatMs) return
    this.#repeatedAtMs = elapsedMs()
    // These are repeated although they announce no demand.
    const lasting = [joinName, countsName, ...this.#demands.replicas.map(readName)]
    await repeatDemands(engine, replica, lasting)
    await dropOldRows(engine, 2 * forgottenMs)
  }

  #rowsToSend(): DemandRow[] {
    const { replica, isNeeded, elapsedMs, counts } = this.#deps
    const demands = this.#demands
    const databaseMs = elapsedMs() + this.#offsetMs
    const changed_at = demands.nextTime(databaseMs)
    const plain = { replica, demand: 0, earlier: 0, changed_at, seen_at: databaseMs }
    const rows: DemandRow[] = []
    if (!demands.hasAskedToJoin) rows.push({ ...plain, name: joinName, earlier: demands.bornAt })
    const { demand } = this.#counting
    if (counts && demands.ownOf(countsName)?.demand !== demand)
      rows.push({ ...plain, name: countsName, demand })
    for (const [announcer, readUpTo] of demands.toConfirm())
      rows.push({ ...plain, name: readName(announcer), changed_at: readUpTo })
    return isNeeded() ? [...rows, ...this.#changedDemands(plain)].slice(0, announcedAtOnce) : rows
  }

  #changedDemands(plain: Omit<DemandRow, 'name'>): DemandRow[] {
    const nowMs = this.#deps.monotonicMs()
    const rows: DemandRow[] = []
    const announce = (name: string, demand: number, leastChange: number): boolean => {
      const announced = this.#demands.ownOf(name)
      const earlier = announced?.demand ?? 0
      const isChanged = isChange(earlier, demand, leastChange)
      const isSettled = announced === undefined || this.#demands.isKnown(announced)
      if (isChanged && isSettled) rows.push({ ...plain, name, demand, earlier })
      return demand > 0 || earlier > 0
    }
    for (const [name, window] of this.#own) {
      const owner = name.startsWith(placesPrefix) ? name.slice(placesPrefix.length) : undefined
      // A request that runs for longer than the window still needs its place.
      const running = owner === undefined ? 0 : this.#deps.runningOf(owner)
      const isWanted = announce(name, Math.max(window.total(nowMs), running), changedBy)
      const isUsed =
        owner !== undefined && announce(`${occupiedPrefix}${owner}`, running, occupiedChangedBy)
      if (!isWanted && !isUsed) this.#own.delete(name)
    }
    return rows
  }
}
