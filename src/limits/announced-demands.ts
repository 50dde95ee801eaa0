import { allot } from './allot.ts'
import { minuteMs } from './rate.ts'

/** One row of the table, as all processes read it. */
export interface DemandRow {
  readonly replica: string
  readonly name: string
  readonly demand: number
  /** The demand that was announced before. */
  readonly earlier: number
  /** Increases with each announcement of a process. */
  readonly changed_at: number
  readonly seen_at: number
}

/**
 * The name of the row with which a process joins the others. `earlier` is the time at which it first listed them.
 * `demand`: the process repeats the row, and is gone if it has not for this many milliseconds; 0: it does not repeat it.
 */
export const joinName = 'join'
/**
 * The name of the row with which a process announces its part in the counting of small limits in the database, as one
 * of `countingDemands`. Another name whenever other limits count as small, because all processes have to agree.
 */
export const countsName = 'told:6000'
/** `told`: the database knows all that the process has used. */
export const countingDemands = { off: 0, told: 1 } as const
const readPrefix = 'read '
/** The names of demands are a kind of limit and its owner; the second is for the places that are in use. */
export const placesPrefix = 'concurrent '
export const occupiedPrefix = 'occupied '
/** The processes that are remembered; of more, only those that run. */
const processesMax = 1_000

interface FormerDemand {
  readonly demand: number
  /** By the clock of the database. */
  readonly untilMs: number
}

/** The name of the row that tells which announcements of another process this process has read. */
export function readName(announcer: string): string {
  return `${readPrefix}${announcer}`
}

/**
 * The demands of all processes on one database, as this process knows them. A process lowers its part of a limit as
 * soon as it reads that another one wants more. It raises its part only when all others have read the announcement. So
 * the parts of all processes together never exceed the limit, however late some of them read. A process announces
 * nothing new for a limit before the last announcement was read by all, so each process has at most two demands: the
 * announced one and the one before.
 */
export class AnnouncedDemands {
  readonly #replica: string
  readonly #byLimit = new Map<string, Map<string, DemandRow>>()
  /** By limit and process: the last demand that became smaller, and when. */
  readonly #former = new Map<string, Map<string, FormerDemand>>()
  /** By process: the latest announcement of each other process that it has read. */
  readonly #readBy = new Map<string, Map<string, number>>()
  /** By process: its latest announcement that this process has read. */
  readonly #latest = new Map<string, number>()
  /** By process: when it first listed the others. A process that started before that is among them. */
  readonly #joins = new Map<string, number>()
  /** By process: until when it runs for certain, by the clock of the database. */
  readonly #livesUntil = new Map<string, number>()
  /** The processes that ran when this one started; they may not know of it. */
  readonly #runningAtStart: ReadonlySet<string>
  readonly #bornAt: number
  #joinedAt = Number.POSITIVE_INFINITY
  #listed: readonly string[]
  #replicas: readonly string[]

  /** `bornAt`: when this process listed the processes, by the clock of the database. */
  constructor(replica: string, listed: readonly string[], bornAt: number) {
    this.#replica = replica
    this.#bornAt = bornAt
    this.#runningAtStart = new Set(listed)
    this.#listed = listed
    this.#replicas = listed
  }

  /** The processes that share the limits. */
  get replicas(): readonly string[] {
    return this.#replicas
  }

  /** `isOwn`: this process sends the row now. Otherwise it was read, and may be of an earlier life. */
  take(row: DemandRow, isOwn = false): void {
    const { replica, name, changed_at: changedAt } = row
    if (name.startsWith(readPrefix)) {
      const read = this.#readBy.get(replica) ?? new Map<string, number>()
      this.#readBy.set(replica, read.set(name.slice(readPrefix.length), changedAt))
      return
    }
    this.#latest.set(replica, Math.max(this.#latest.get(replica) ?? 0, changedAt))
    if (name === joinName) {
      if (isOwn) this.#joinedAt = changedAt
      this.#joins.set(replica, row.earlier)
      // After a pause of the database all processes come back at the same time, and none of them is gone.
      const until = Math.max(row.seen_at, this.#bornAt) + row.demand
      if (row.demand > 0) this.#livesUntil.set(replica, until)
      else this.#livesUntil.delete(replica)
      return
    }
    const ofLimit = this.#byLimit.get(name) ?? new Map<string, DemandRow>()
    const before = ofLimit.get(replica)?.demand ?? 0
    if (before > row.demand) {
      const former = this.#former.get(name) ?? new Map<string, FormerDemand>()
      const known = former.get(replica)
      const isLarger = !known || before >= known.demand || known.untilMs < row.seen_at - minuteMs
      if (isLarger) former.set(replica, { demand: before, untilMs: row.seen_at })
      this.#former.set(name, former)
    }
    this.#byLimit.set(name, ofLimit.set(replica, row))
  }

  /**
   * Takes over the list of running processes. One that started later and has not joined uses nothing yet. Processes of
   * that list that do not join within `waitMs` do not share limits in this way: they are of an earlier version.
   */
  list(found: readonly string[], listedAt: number, waitMs: number): void {
    const listed = found.filter(
      (each) =>
        each === this.#replica ||
        (this.#livesUntil.get(each) ?? Number.POSITIVE_INFINITY) > listedAt,
    )
    this.#listed = listed
    const isWaiting = listedAt < this.#bornAt + waitMs
    this.#replicas = listed.filter(
      (each) =>
        each === this.#replica ||
        this.#latest.has(each) ||
        (isWaiting && this.#runningAtStart.has(each)),
    )
  }

  /** Announcements that were not repeated do not count. */
  forgetBefore(oldest: number): void {
    for (const [name, ofLimit] of this.#byLimit) {
      for (const [replica, { seen_at }] of ofLimit) if (seen_at < oldest) ofLimit.delete(replica)
      if (ofLimit.size === 0) this.#byLimit.delete(name)
    }
    for (const [name, former] of this.#former) {
      for (const [replica, { untilMs }] of former) if (untilMs < oldest) former.delete(replica)
      if (former.size === 0) this.#former.delete(name)
    }
    for (const times of [this.#latest, this.#readBy, this.#joins, this.#livesUntil]) {
      if (times.size <= processesMax) continue
      for (const replica of times.keys()) if (!this.#listed.includes(replica)) times.delete(replica)
    }
  }

  /** How many processes know of this one, itself included. */
  get companions(): number {
    return this.#replicas.filter((each) => this.#knowsMe(each)).length
  }

  /** Whether all other processes leave a part to this one. */
  get hasJoined(): boolean {
    return this.companions === this.#replicas.length
  }

  /**
   * Whether all processes know of this one, and the database knows what each of them has used. Also what one has used
   * that is gone, until it has come back.
   */
  get areAllTold(): boolean {
    const told = this.#byLimit.get(countsName)
    return (
      this.hasJoined &&
      this.#replicas.every((each) => told?.has(each)) &&
      told?.values().every(({ demand }) => demand === countingDemands.told) === true
    )
  }

  /** Whether all other processes have read that this one uses small limits without the database. */
  get isUncountedKnown(): boolean {
    const own = this.ownOf(countsName)
    return own?.demand === countingDemands.off && this.hasJoined && this.isKnown(own)
  }

  get hasAskedToJoin(): boolean {
    return this.#joinedAt < Number.POSITIVE_INFINITY
  }

  get bornAt(): number {
    return this.#bornAt
  }

  /** The announcements of others that this process has read, but not confirmed. */
  toConfirm(): ReadonlyMap<string, number> {
    const confirmed = this.#readBy.get(this.#replica)
    const others = this.#replicas.filter((each) => each !== this.#replica)
    return new Map(
      others.flatMap((each): [string, number][] => {
        const latest = this.#latest.get(each)
        return latest === undefined || latest === confirmed?.get(each) ? [] : [[each, latest]]
      }),
    )
  }

  /** The last announcement of this process for a limit. */
  ownOf(name: string): DemandRow | undefined {
    return this.#byLimit.get(name)?.get(this.#replica)
  }

  /** What all others have announced to want, by limit. */
  demandsOfOthers(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>()
    for (const [name, ofLimit] of this.#byLimit)
      for (const [replica, { demand }] of ofLimit)
        if (replica !== this.#replica) sums.set(name, (sums.get(name) ?? 0) + demand)
    return sums
  }

  /** The number of the next announcement of this process: larger than all before, also if a clock was set back. */
  nextTime(databaseMs: number): number {
    return Math.max(Math.ceil(databaseMs), (this.#latest.get(this.#replica) ?? 0) + 1)
  }

  /**
   * The part of this process: the smallest one that any other process may assume. `occupiedName`: the name under which
   * processes announce what is in use.
   */
  partOf(name: string, limit: number, occupiedName?: string): number {
    const ofLimit = this.#byLimit.get(name)
    const occupied = occupiedName === undefined ? undefined : this.#byLimit.get(occupiedName)
    const partWith = (countOf: (row: DemandRow) => number): number => {
      const demands = this.#replicas.map((replica) => {
        const [row, used] = [ofLimit?.get(replica), occupied?.get(replica)]
        return { replica, count: row ? countOf(row) : 0, occupied: used ? countOf(used) : 0 }
      })
      return allot(limit, demands).get(this.#replica) ?? 0
    }
    const after = partWith(({ demand }) => demand)
    const rows = [...(ofLimit?.values() ?? []), ...(occupied?.values() ?? [])]
    const unknown = new Set(rows.filter((row) => !this.isKnown(row)))
    if (unknown.size === 0) return after
    const before = partWith((row) => (unknown.has(row) ? row.earlier : row.demand))
    const least = partWith((row) => {
      if (!unknown.has(row)) return row.demand
      const choose = row.replica === this.#replica ? Math.min : Math.max
      return choose(row.earlier, row.demand)
    })
    return Math.min(before, after, least)
  }

  /**
   * The smallest part that this process can have had lately, beside demands that have become smaller and processes that
   * are gone, and until when.
   */
  formerPart(name: string, limit: number): { readonly part: number; readonly untilMs: number } {
    const ofLimit = this.#byLimit.get(name)
    const former = this.#former.get(name)
    const replicas = new Set([
      ...this.#replicas,
      ...(ofLimit?.keys() ?? []),
      ...(former?.keys() ?? []),
    ])
    let latestMs = 0
    const demands = [...replicas].map((replica) => {
      const row = ofLimit?.get(replica)
      const isGone = !this.#replicas.includes(replica)
      const before = replica === this.#replica ? undefined : former?.get(replica)
      if (isGone && row) latestMs = Math.max(latestMs, this.#livesUntil.get(replica) ?? row.seen_at)
      if (before) latestMs = Math.max(latestMs, before.untilMs)
      return { replica, count: Math.max(row?.demand ?? 0, before?.demand ?? 0) }
    })
    return { part: allot(limit, demands).get(this.#replica) ?? 0, untilMs: latestMs }
  }

  /** The part that this process gets when all others have read that it wants `own`. */
  expectedPart(name: string, limit: number, own: number): number {
    const ofLimit = this.#byLimit.get(name)
    const demands = this.#replicas.map((replica) => ({
      replica,
      count: replica === this.#replica ? own : (ofLimit?.get(replica)?.demand ?? 0),
    }))
    return allot(limit, demands).get(this.#replica) ?? 0
  }

  /**
   * Whether no other process has had a demand for a limit for a minute, or will take any of this process's part. A
   * process that confirms an announcement announces its own demand with it. Also what a process has used that is gone
   * is used.
   */
  isElseUnused(name: string): boolean {
    const ofLimit = this.#byLimit.get(name)
    const own = ofLimit?.get(this.#replica)
    if (ofLimit === undefined || own === undefined || !this.hasJoined) return false
    for (const [replica, row] of ofLimit) {
      const isQuiet = row.demand === 0 && this.isKnown(row)
      if (replica !== this.#replica && !isQuiet) return false
    }
    // All have read the announcement before the last one, and this process uses no more than follows from it.
    const wasRead = own.earlier > 0
    return this.#replicas.every(
      (each) =>
        each === this.#replica ||
        (this.#joins.has(each) && (wasRead || this.#hasRead(each, this.#replica, own.changed_at))),
    )
  }

  /** Whether all other processes have read an announcement. */
  isKnown({ replica: announcer, changed_at: changedAt }: DemandRow): boolean {
    return this.#replicas.every(
      (each) =>
        each === announcer ||
        each === this.#replica ||
        // Of an earlier version: it confirms nothing.
        !this.#joins.has(each) ||
        this.#hasRead(each, announcer, changedAt),
    )
  }

  #knowsMe(other: string): boolean {
    if (other === this.#replica) return true
    const joinedAt = this.#joins.get(other)
    if (joinedAt === undefined) return this.#latest.has(other)
    return joinedAt > this.#bornAt || this.#hasRead(other, this.#replica, this.#joinedAt)
  }

  #hasRead(reader: string, announcer: string, changedAt: number): boolean {
    return (this.#readBy.get(reader)?.get(announcer) ?? 0) >= changedAt
  }
}
