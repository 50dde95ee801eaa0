import { sql } from 'kysely'
import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import { withTimeout } from '../core/time/wait-at-most.ts'
import { type Engine, isWorthRetrying } from '../store/engine.ts'
import { databaseNow } from '../store/rows/database-now.ts'
import type { RateCountTable } from '../store/tables/limit-tables.ts'
import type { EndedRequest, RateKind } from './allotment.ts'
import { refusalOf, type ServerState } from './ask-server.ts'
import { CountState } from './count-state.ts'
import type { LimitRefusal } from './limiter.ts'
import type { LocalLimits } from './local-limits.ts'
import { unitMsOf } from './rate.ts'
import { smallOnes } from './small-limits.ts'
import { TurnPace } from './turn-pace.ts'
import { count, decide, type WaitingCount } from './waiting-count.ts'

/** The wait for the database. After it, processes divide small limits, as they divide large ones. */
export const countWaits = { answerMs: 2_000 }
/** The requests and corrections of one transaction, and those that wait for the next ones. */
const atOnceMax = 200
const waitingMax = 10_000
/** Between transactions that no request waits for. */
export const paceMs = 50
/** A refusal is repeated without asking the database for this long. */
const freshMs = 250
const namesMax = 10_000
const triesMax = 2
/** The part of a limit that all processes together may use before the database has counted it. */
const unconfirmedPart = 0.1
const noneBegun = { requests: 0, tokens: 0 }
/** The owners whose running requests are repeated together. */
const ownersAtOnce = 100

export interface DatabaseCountsDeps {
  readonly engine: Engine
  readonly replica: string
  /** The limits of this process. */
  local(): LocalLimits
  readonly monotonicMs: () => number
  /** The distance between transactions that no request waits for. */
  readonly paceMs: number
  /** The number of processes that may use the limits. */
  runningMax(): number
  isAlive(replica: string): boolean
  /** Whether the database is told of requests, and whether it counts for all processes. */
  isTold(): boolean
  isCounting(): boolean
  /** The database did not count. */
  onLost(error: unknown): void
}

/**
 * Counts small limits in the database for all processes: exactly, with one transaction at a time. What arrives in the
 * meantime shares the next one.
 */
export class DatabaseCounts {
  readonly #deps: DatabaseCountsDeps
  readonly #pace: TurnPace
  #waiting: WaitingCount[] = []
  #isRunning = false
  #running: Promise<void> = Promise.resolve()
  #last: Promise<unknown> = Promise.resolve()
  /** By name: the refusal of an owner whose places are all taken. */
  readonly #crowded = new Map<
    string,
    { readonly refusal: LimitRefusal; readonly untilMs: number }
  >()
  /** By the names of the owners: one question for all refused requests of the same moment. */
  readonly #refreshing = new Map<string, Promise<unknown>>()
  /** By name: the requests that have begun before the database has counted them, and their tokens. */
  readonly #unconfirmed = new Map<string, { readonly requests: number; readonly tokens: number }>()
  /** When the database has told the counts of an owner. */
  readonly #toldAtMs = new Map<string, number>()

  constructor(deps: DatabaseCountsDeps) {
    this.#deps = deps
    this.#pace = new TurnPace(deps.paceMs, deps.monotonicMs)
  }

  /**
   * Whether a request that this process would admit may begin before the database has counted it. The processes
   * together exceed a rate by no more than a tenth in this way, and what they exceed it by is missing afterwards. A
   * place waits: this process does not know how many requests the others run.
   */
  mayBegin(owners: readonly OwnedLimits[], tokens: number): boolean {
    const part = unconfirmedPart / this.#deps.runningMax()
    return owners.every(({ name, values }) => {
      const begun = this.#unconfirmed.get(name) ?? noneBegun
      const { requestsPerMinute, tokensPerMinute, concurrentRequests } = values
      const isFew = (count: number, limit: number | null) => limit === null || count <= limit * part
      return (
        concurrentRequests === null &&
        this.#toldAtMs.has(name) &&
        isFew(begun.requests + 1, requestsPerMinute) &&
        isFew(begun.tokens + tokens, tokensPerMinute)
      )
    })
  }

  /** Counts a request that has begun. */
  confirm(owners: readonly OwnedLimits[], tokens: number): void {
    const add = (more: 1 | -1) => {
      for (const { name } of owners) {
        const begun = this.#unconfirmed.get(name) ?? noneBegun
        const requests = begun.requests + more
        const now = { requests, tokens: begun.tokens + more * tokens }
        if (requests > 0) this.#unconfirmed.set(name, now)
        else this.#unconfirmed.delete(name)
      }
    }
    add(1)
    const done = () => add(-1)
    this.#add({ owners, tokens, isAdmitted: true, isAwaited: false, done, failed: done })
  }

  /** Takes a request from all limits or from none. */
  async take(owners: readonly OwnedLimits[], tokens: number): Promise<LimitRefusal | undefined> {
    for (const { name } of owners) {
      const { refusal, untilMs = 0 } = this.#crowded.get(name) ?? {}
      if (refusal && untilMs > this.#deps.monotonicMs()) return refusal
    }
    const { promise, resolve, reject } = Promise.withResolvers<LimitRefusal | undefined>()
    this.#add({ owners, tokens, isAwaited: true, done: resolve, failed: reject })
    const refusal = await promise
    if (refusal?.kind === 'concurrent') this.#noteCrowded(owners, refusal)
    return refusal
  }

  /** The refusal that a request would get. Takes nothing. */
  async preview(owners: readonly OwnedLimits[], tokens: number): Promise<LimitRefusal | undefined> {
    const found = new Map<string, ServerState>()
    const change: WaitingCount['change'] = (state, owned) => {
      found.set(owned.name, state.ownerState(owned))
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#add({ owners, tokens: 0, change, isAwaited: true, done: resolve, failed: reject })
    await promise
    const refusal = refusalOf([...found.values()], tokens)
    return refusal && refusal.waitMs > 0 ? refusal : undefined
  }

  /** Reads the counts, and tells how many requests of this process run. */
  async refresh(owners: readonly OwnedLimits[]): Promise<void> {
    const key = JSON.stringify(owners.map(({ name }) => name))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const known = this.#refreshing.get(key)
    if (!known) {
      this.#refreshing.set(key, promise)
      const how = { tokens: 0, change: () => undefined, isAwaited: true }
      this.#add({ owners, ...how, done: resolve, failed: reject })
    }
    try {
      await (known ?? promise)
    } finally {
      if (!known) this.#refreshing.delete(key)
    }
  }

  /** Whether the counts are so new that a refusal needs no question. */
  isFresh(owners: readonly OwnedLimits[]): boolean {
    const sinceMs = this.#deps.monotonicMs() - freshMs
    return owners.every(
      ({ name }) => (this.#toldAtMs.get(name) ?? Number.NEGATIVE_INFINITY) > sinceMs,
    )
  }

  /** What could not be sent comes back with time, and places are not repeated. */
  finish({ terms, estimate, tokens, requestsBack }: EndedRequest): void {
    const estimates = new Map(
      terms.map(({ owned, isTold, tokensPerMinute, tokensPart }) => {
        const most = isTold ? tokensPerMinute : tokensPart
        return [owned.name, Math.min(estimate, most ?? 0)]
      }),
    )
    const changed = smallOnes(terms.map(({ owned }) => owned)).filter(
      ({ values }) =>
        requestsBack > 0 || values.tokensPerMinute !== null || values.concurrentRequests !== null,
    )
    if (changed.length === 0) return
    for (const { name } of changed) this.#crowded.delete(name)
    const change: WaitingCount['change'] = (state, { name, values }) => {
      const { requestsPerMinute: requests, tokensPerMinute: limit } = values
      const more = limit === null ? 0 : (tokens - (estimates.get(name) ?? 0)) * unitMsOf(limit)
      state.add(requests === null ? 0 : -requestsBack * unitMsOf(requests), more)
    }
    // A request at another process may wait for the place.
    const isAwaited = changed.some(({ values }) => values.concurrentRequests !== null)
    this.#send(changed, change, isAwaited)
  }

  /** Adds what this process has used without the database. */
  carry(owned: OwnedLimits, kind: RateKind, count: number): void {
    const { requestsPerMinute, tokensPerMinute } = owned.values
    const ms = count * unitMsOf((kind === 'requests' ? requestsPerMinute : tokensPerMinute) ?? 0)
    this.#send([owned], (state) => (kind === 'requests' ? state.add(ms, 0) : state.add(0, ms)))
  }

  /** The database is told of requests from now on. Ends when it knows what this process has used so far, and what it runs. */
  async begin(): Promise<void> {
    this.#deps.local().fitAll()
    this.renew()
    const sent = this.#waiting.at(-1)
    if (sent === undefined) return
    // Transactions keep the order.
    await this.refresh(sent.owners).catch(() => undefined)
  }

  /** Repeats how many requests of this process run. */
  renew(): void {
    const owners = smallOnes(this.#deps.local().occupied)
    const places = owners.filter(({ values }) => values.concurrentRequests !== null)
    for (let from = 0; from < places.length; from += ownersAtOnce)
      this.#send(places.slice(from, from + ownersAtOnce), () => undefined)
  }

  /** Until all that was sent to the database is there. */
  async close(): Promise<void> {
    this.#pace.hurry()
    await this.#running
  }

  /** The counters of this process tell whether a rate is used up, but not how many requests others run. */
  #noteCrowded(owners: readonly OwnedLimits[], refusal: LimitRefusal): void {
    const name = owners.find(({ owner }) => owner === refusal.owner)?.name
    if (name === undefined) return
    if (this.#crowded.size >= namesMax) this.#crowded.clear()
    this.#crowded.set(name, { refusal, untilMs: this.#deps.monotonicMs() + freshMs })
  }

  #send(
    owners: readonly OwnedLimits[],
    change: NonNullable<WaitingCount['change']>,
    isAwaited = false,
  ): void {
    const ignore = () => undefined
    this.#add({ owners, tokens: 0, change, isAwaited, done: ignore, failed: ignore })
  }

  #add(waiting: WaitingCount): void {
    if (!this.#deps.isTold()) {
      waiting.failed(new Error('the database does not count now'))
      return
    }
    if (this.#waiting.length >= waitingMax) {
      const error = new Error(`${waitingMax} requests wait for the database`)
      // A lost change corrects itself with time.
      if (!waiting.change) this.#deps.onLost(error)
      waiting.failed(error)
      return
    }
    this.#waiting.push(waiting)
    if (waiting.isAwaited || this.#waiting.length >= atOnceMax) this.#pace.hurry()
    if (this.#isRunning) return
    this.#isRunning = true
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    // What arrives in the same moment shares the transaction.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#pace.nextTurn()
      const batch = this.#waiting.splice(0, atOnceMax)
      if (this.#waiting.length > 0) this.#pace.hurry()
      try {
        const refusals = await this.#countInTurn(batch)
        for (const [index, { done }] of batch.entries()) done(refusals[index])
      } catch (error) {
        this.#deps.onLost(error)
        for (const { failed } of [...batch, ...this.#waiting.splice(0)]) failed(error)
      }
    }
    this.#isRunning = false
  }

  /** One transaction at a time, also after one that took too long: it still uses a connection. */
  async #countInTurn(batch: readonly WaitingCount[]): Promise<(LimitRefusal | undefined)[]> {
    const why = `the database did not count within ${countWaits.answerMs / 1_000} s`
    let isLate = false
    const mustBeInTime = () => {
      if (isLate) throw new Error(why)
    }
    const counting = this.#last.then(() => this.#count(batch, mustBeInTime))
    this.#last = counting.catch(() => undefined)
    try {
      return await withTimeout(counting, countWaits.answerMs, why)
    } finally {
      isLate = true
    }
  }

  async #count(
    batch: readonly WaitingCount[],
    mustBeInTime: () => void,
  ): Promise<(LimitRefusal | undefined)[]> {
    for (let tries = 1; ; tries += 1) {
      mustBeInTime()
      try {
        return await this.#countOnce(batch, mustBeInTime)
      } catch (error) {
        if (!isWorthRetrying(error) || tries >= triesMax) throw error
      }
    }
  }

  /** What comes too late is not written: the requests of the batch were decided without the database. */
  async #countOnce(
    batch: readonly WaitingCount[],
    mustBeInTime: () => void,
  ): Promise<(LimitRefusal | undefined)[]> {
    const names = [...new Set(batch.flatMap(({ owners }) => owners.map(({ name }) => name)))]
    const { engine } = this.#deps
    const { states, refusals } = await engine.db.transaction().execute(async (tx) => {
      const now = databaseNow(engine)
      const unused = { requests_left_ms: 0, tokens_left_ms: 0, places: '', counted_at: now }
      // In the same order everywhere, so that no two processes wait for each other.
      const rows = await tx
        .insertInto('rate_count')
        .values(names.toSorted().map((name) => ({ name, ...unused })))
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet({ name: sql.ref('excluded.name') }),
        )
        .returningAll()
        .returning(now.as('now'))
        .execute()
      mustBeInTime()
      const found = this.#statesOf(rows, batch)
      const decided = batch.map((waiting) => decide(waiting, found))
      await tx
        .insertInto('rate_count')
        .values([...found.values()].map((state) => state.row()))
        .onConflict((conflict) =>
          conflict.column('name').doUpdateSet((eb) => ({
            requests_left_ms: eb.ref('excluded.requests_left_ms'),
            tokens_left_ms: eb.ref('excluded.tokens_left_ms'),
            places: eb.ref('excluded.places'),
            counted_at: eb.ref('excluded.counted_at'),
          })),
        )
        .execute()
      mustBeInTime()
      return { states: found, refusals: decided }
    })
    this.#tell(states, batch, refusals)
    return refusals
  }

  #statesOf(
    rows: readonly (RateCountTable & { now: number })[],
    batch: readonly WaitingCount[],
  ): Map<string, CountState> {
    const { replica, isAlive } = this.#deps
    const local = this.#deps.local()
    // Requests that wait for the decision already count in this process.
    const undecided = new Map<string, number>()
    for (const { owners, change } of [...batch, ...this.#waiting]) {
      if (change) continue
      for (const { name } of owners) undecided.set(name, (undecided.get(name) ?? 0) + 1)
    }
    // The clock of the database may differ by row, if a row was locked.
    const nowMs = Math.max(...rows.map(({ now }) => Number(now)))
    return new Map(
      rows.map((row) => {
        const running = Math.max(0, local.runningOf(row.name) - (undecided.get(row.name) ?? 0))
        return [row.name, new CountState(row, { nowMs, replica, isAlive }, running)]
      }),
    )
  }

  /** Tells this process the counts, plus what it has taken or given back that is refused now or waits. */
  #tell(
    states: ReadonlyMap<string, CountState>,
    batch: readonly WaitingCount[],
    refusals: readonly (LimitRefusal | undefined)[],
  ): void {
    const { monotonicMs } = this.#deps
    const local = this.#deps.local()
    const owners = new Map(batch.flatMap((each) => each.owners.map((owned) => [owned.name, owned])))
    const counted = [...owners.values()].flatMap((owned) => {
      const state = states.get(owned.name)
      return state ? { owned, state, known: state.ownerState(owned) } : []
    })
    const open = [...batch.filter((_, index) => refusals[index]), ...this.#waiting]
    for (const waiting of open) count(waiting, states)
    if (this.#toldAtMs.size >= namesMax) this.#toldAtMs.clear()
    for (const { owned, state, known } of counted) {
      const { requestsFullInMs, tokensFullInMs } = state.ownerState(owned)
      const { name, values } = owned
      if (values.requestsPerMinute !== null) {
        const countedMs = known.requestsFullInMs
        local.mirror(name, 'requests', countedMs, requestsFullInMs - countedMs)
      }
      if (values.tokensPerMinute !== null) {
        const countedMs = known.tokensFullInMs
        local.mirror(name, 'tokens', countedMs, tokensFullInMs - countedMs)
      }
      if (this.#deps.isCounting()) this.#toldAtMs.set(name, monotonicMs())
    }
  }
}
