import { type Nano, smallerOf } from '../../core/money/money.ts'
import { waitAtMost, withTimeout } from '../../core/time/wait-at-most.ts'
import type { Change } from '../../store/changes/changes.ts'
import type { ShapedRecord } from '../../store/units/shape.ts'
import { refuseStopped } from '../audit/audit-stops.ts'
import type { BudgetTerms } from '../budgets/budget-terms.ts'
import { RuleFollower } from '../budgets/follow-rules.ts'
import { journalFull, noRoomForUncharged } from '../journal/journal.ts'
import type {
  HoldForecast,
  HoldRefusal,
  HoldRequest,
  HoldVerdict,
  Ledger,
  LedgerTrouble,
  Payer,
} from '../ledger.ts'
import { markSettledSafely } from '../replica.ts'
import { SleepAwareClock } from '../sleep-aware-clock.ts'
import { explainShortage, findShortFunds } from './explain-shortage.ts'
import { forecastHold } from './forecast-hold.ts'
import { closeIdleLeases, takeBack } from './give-back.ts'
import { HoldTally, type LedgerStatus } from './hold-tally.ts'
import { LeaseGrants } from './lease-grants.ts'
import { type HoldContext, LeaseHold } from './lease-hold.ts'
import type { LeaseLedgerDeps } from './lease-ledger-deps.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'
import { LeasePools } from './lease-pools.ts'
import { LeaseRenewals } from './lease-renewals.ts'
import { LeaseReturns } from './lease-returns.ts'
import { leaseTimes } from './lease-times.ts'
import { MoneyFetches } from './money-fetches.ts'
import { Recalls } from './recalls.ts'
import { Refills } from './refills.ts'
import { collectIdle, mayHelp, type ShortFunds } from './short-funds.ts'
import { WaitQueues } from './wait-queues.ts'

/**
 * Above this number of unshipped requests the database is too far behind, and nothing new is admitted until it catches
 * up.
 */
const unshippedMax = 100_000
/**
 * Above this number, usage rows of refused requests are dropped, so that they do not use up the room of requests that
 * pay.
 */
const unshippedUnchargedMax = 75_000

/**
 * Spends money through leases: the database moves money into a lease of this process, and requests spend the lease in
 * memory. Only the rare request that finds its lease empty waits for the database.
 */
export class LeaseLedger implements Ledger {
  readonly #deps: LeaseLedgerDeps
  readonly #pools = new LeasePools((pool) => this.#grants.recallRules(pool))
  readonly #waiting: WaitQueues
  readonly #timer: ReturnType<typeof setInterval>
  readonly #recalls: Recalls
  readonly #refills: Refills
  readonly #fetches = new MoneyFetches()
  readonly #context: HoldContext
  /** The clock that decides whether leases are still valid. It includes the time that the machine slept. */
  readonly #time: SleepAwareClock
  /** Units taken out of pools that could not reach the database yet. */
  readonly #returns: LeaseReturns
  readonly #renewals: LeaseRenewals
  readonly #grants: LeaseGrants
  readonly #rules: RuleFollower
  /** Why the database no longer accepts this process as the owner of its identity. */
  #fencedWhy: string | undefined

  constructor(deps: LeaseLedgerDeps) {
    this.#deps = deps
    this.#time = new SleepAwareClock(deps.clock)
    this.#returns = new LeaseReturns(deps)
    this.#grants = new LeaseGrants(deps, this.#time, this.#returns)
    const giveBack = (pool: LeasePool): void => this.#giveBack(pool)
    this.#rules = new RuleFollower({ grants: this.#grants, giveBack, onError: deps.onError })
    this.#renewals = new LeaseRenewals(deps, (pool) => this.#takeBack(pool))
    this.#recalls = new Recalls(deps)
    this.#waiting = new WaitQueues({
      nowMs: () => deps.clock.monotonicMs(),
      take: (pool, request) => this.#take(pool, request),
      // A waiting request may give up before its money arrives, and the pool must still exist then.
      obtain: (pool, request) => this.#fetches.track(pool, this.#obtain(pool, request)),
      stillShort: (pool, leastNano) => this.#fetches.track(pool, this.#stillShort(pool, leastNano)),
      lookAgain: (pool, leastNano) => this.#fetches.track(pool, this.#lookAgain(pool, leastNano)),
    })
    this.#refills = new Refills({
      clock: deps.clock,
      grant: (pool, amountNano) => this.#grants.fetchAhead(pool, amountNano),
      giveBack,
    })
    this.#context = {
      journal: deps.journal,
      tally: new HoldTally(),
      setAside: (pool, lease, request) => this.#setAside(pool, lease, request),
      setSomeAside: (pool, lease, request) => this.#setSomeAside(pool, lease, request),
      explainShortage: (pool, lease) => this.#explain(pool, lease.terms),
    }
    this.#timer = setInterval(() => this.#tick(), leaseTimes.tickMs)
  }

  get openHolds(): number {
    return this.#context.tally.open
  }

  get unshipped(): number {
    return this.#deps.journal.unshipped
  }

  status(): LedgerStatus {
    return this.#context.tally.status()
  }

  /**
   * Another process has taken over this replica's identity, and its leases with it. Nothing is admitted from now on.
   */
  fence(why: string): void {
    this.#fencedWhy = why
  }

  get trouble(): LedgerTrouble | undefined {
    const { journal } = this.#deps
    if (this.#fencedWhy !== undefined) return { kind: 'identity lost', why: this.#fencedWhy }
    const isBehind = journal.unshipped > unshippedMax
    if (isBehind) return { kind: 'database behind', why: 'the database is too far behind' }
    return journal.isFull ? { kind: 'journal full', why: journalFull } : undefined
  }

  reserve(request: HoldRequest): HoldVerdict | Promise<HoldVerdict> {
    this.#mustBeOpen()
    const pool = this.#pools.of(request)
    pool.lastUsedMs = this.#deps.clock.monotonicMs()
    // Waiting requests go first.
    if (!this.#waiting.has(pool)) {
      const hold = this.#take(pool, request)
      if (hold) return { ok: true, hold }
    }
    return this.#waiting.join(pool, request)
  }

  async forecastHold(name: Payer): Promise<HoldForecast> {
    this.#mustBeOpen()
    const times = { validSinceMs: this.#validSinceMs(), databaseMs: this.#grants.databaseMs() }
    return forecastHold(this.#deps, this.#pools.values(), name, times)
  }

  apply(changes: readonly Change[]): void {
    for (const { topic, subject } of changes) {
      if (topic !== 'key' && topic !== 'account' && topic !== 'recall') continue
      for (const pool of this.#pools.values()) {
        if ((topic === 'key' ? pool.keyId : pool.accountId) !== subject) continue
        this.#giveBack(pool)
        if (topic !== 'recall') this.#rules.follow(pool)
      }
    }
  }

  record(records: readonly ShapedRecord[]): void {
    const { journal } = this.#deps
    const hasRoom = journal.hasRoomForUncharged && journal.unshipped <= unshippedUnchargedMax
    if (!hasRoom) throw new Error(noRoomForUncharged)
    void journal.settle(undefined, records)
    journal.flush()
  }

  shipped(): Promise<void> {
    return this.#deps.journal.shipped()
  }

  async close(withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    clearInterval(this.#timer)
    this.#deps.onClose?.()
    await this.#deps.journal.close(withinMs)
    await this.#refills.arrived(() => true)
    await this.#fetches.arrived()
    await this.#returns.returnOwed()
    for (const pool of this.#pools.values()) await this.#takeBack(pool)
    await this.#returns.returnOwed()
    await this.#deps.commits.settled()
    const isSettled = this.#isAllReturned && (await markSettledSafely(this.#deps))
    if (isSettled) this.#deps.journal.remove()
    this.#deps.onClosed?.(isSettled)
  }

  get #isAllReturned(): boolean {
    const isEmpty = [...this.#pools.values()].every((pool) => pool.leases.length === 0)
    return isEmpty && this.#returns.isEmpty && this.#deps.journal.unshipped === 0
  }

  #mustBeOpen(): void {
    if (this.trouble) throw new Error(this.trouble.why)
  }

  /** A lease last renewed before this time admits nothing. */
  #validSinceMs(): number {
    return this.#time.nowMs() - leaseTimes.admitMs
  }

  #take(pool: LeasePool, request: HoldRequest): LeaseHold | undefined {
    const lease = pool.take(request.amountNano, this.#validSinceMs())
    if (!lease) return undefined
    if (pool.isLow && this.#fencedWhy === undefined) this.#refills.begin(pool, request.amountNano)
    try {
      return new LeaseHold(this.#context, pool, lease, request)
    } catch (error) {
      pool.release(lease, request.amountNano, 0n)
      throw error
    }
  }

  /**
   * Looks for money in the database, then in idle leases of this process, then in idle leases of other processes;
   * returns the reason when there is none.
   */
  async #obtain(pool: LeasePool, request: HoldRequest): Promise<HoldRefusal | undefined> {
    const isThere = (): boolean => this.#hasFree(pool, request.amountNano)
    if (await this.#findMoney(pool, request, isThere)) return undefined
    return (await this.#explain(pool))(request.amountNano)
  }

  async #stillShort(
    pool: LeasePool,
    leastNano: Nano,
  ): Promise<((amountNano: Nano) => HoldRefusal) | undefined> {
    return (await this.#fetchMoney(pool, leastNano)) ? undefined : this.#explain(pool)
  }

  /**
   * Looks again for requests that wait for money in flight. Money that came back may be in this process, in the
   * database, or in other processes.
   */
  async #lookAgain(
    pool: LeasePool,
    leastNano: Nano,
  ): Promise<((amountNano: Nano) => HoldRefusal) | undefined> {
    const fetchMoney = (): Promise<boolean> => this.#fetchMoney(pool, leastNano)
    if (await fetchMoney()) return undefined
    const short = await this.#collectOwn(pool, leastNano, fetchMoney)
    if (short === true) return undefined
    if (short !== false) await this.#recalls.ask(pool, short)
    return this.#explain(pool)
  }

  /** `terms` are those of a request in flight, which may be former terms. */
  async #explain(
    { keyId, terms: presentTerms }: LeasePool,
    terms: BudgetTerms = presentTerms,
  ): Promise<(amountNano: Nano) => HoldRefusal> {
    // The database must know every settlement before it can say how much is left.
    const shipped = this.#deps.journal.shipped()
    await withTimeout(shipped, leaseTimes.shippedMs, 'the database is too far behind')
    return explainShortage(this.#deps.engine, keyId, terms)
  }

  /** For waiting requests: holds nothing. If a recall takes the money first, these requests look again. */
  #fetchMoney(pool: LeasePool, amountNano: Nano): Promise<boolean> {
    return this.#grants.fetch(pool, amountNano, () => this.#hasFree(pool, amountNano))
  }

  /** `take` tells whether the pool has enough money, and may hold it. `terms` are those of a request in flight. */
  async #findMoney(
    pool: LeasePool,
    request: HoldRequest,
    take: () => boolean,
    terms?: BudgetTerms,
  ): Promise<boolean> {
    const { accountId, amountNano } = request
    const fetchMoney = (): Promise<boolean> => this.#grants.fetch(pool, amountNano, take, terms)
    if (await this.#hasArrived(pool, take)) return true
    await this.#renewals.renewUnsure(this.#pools.values(), accountId, this.#time.nowMs())
    if (await fetchMoney()) return true
    await refuseStopped(this.#deps.engine, accountId)
    const short = await this.#collectOwn(pool, amountNano, fetchMoney, terms)
    if (short === true) return true
    if (short === false || request.waitsFor !== undefined) return false
    return this.#recalls.wait(pool, short, async () => take() || (await fetchMoney()))
  }

  /** Tells whether a refill that was already on its way is enough. */
  async #hasArrived(pool: LeasePool, take: () => boolean): Promise<boolean> {
    if (!this.#refills.isRunning(pool)) return false
    await this.#refills.arrived((each) => each === pool)
    return take()
  }

  /** Holds more money for a request in flight. */
  #setAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): boolean | Promise<boolean> {
    const hold = (): boolean => pool.hold(lease, request.amountNano, this.#validSinceMs())
    if (hold()) return true
    if (this.#fencedWhy !== undefined) return false
    return this.#fetches
      .track(pool, this.#findMoney(pool, request, hold, lease.terms))
      .catch((error: unknown) => {
        this.#deps.onError('hold_not_extended', error)
        return false
      })
  }

  /**
   * Holds as much as the pool has or the database grants at once. The time is bounded, because the end of a response
   * waits for it.
   */
  #setSomeAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): Nano | Promise<Nano> {
    const { amountNano } = request
    const { terms } = lease
    let heldNano: Nano | undefined
    const hasFree = (leastNano: Nano): boolean =>
      pool.freeUnder(terms, this.#validSinceMs()) >= leastNano
    const holdSome = (): Nano => {
      heldNano ??= pool.holdSome(lease, amountNano, this.#validSinceMs())
      return heldNano
    }
    // Money that arrives after the wait has ended is not held.
    const take = (leastNano: Nano): boolean =>
      heldNano !== undefined || (hasFree(leastNano) && holdSome() >= leastNano)
    if (this.#fencedWhy !== undefined || hasFree(amountNano)) return holdSome()
    const fetched = this.#fetches
      .track(pool, this.#fetchSome(pool, request, take, terms))
      .catch((error: unknown) => this.#deps.onError('hold_not_covered', error))
    return waitAtMost(fetched, leaseTimes.coverMs).then(holdSome)
  }

  async #fetchSome(
    pool: LeasePool,
    request: HoldRequest,
    take: (leastNano: Nano) => boolean,
    terms: BudgetTerms,
  ): Promise<void> {
    const { amountNano } = request
    if (await this.#findMoney(pool, request, () => take(amountNano), terms)) return
    const refusalOf = await explainShortage(this.#deps.engine, pool.keyId, terms)
    const { affordableNano } = refusalOf(amountNano)
    if (affordableNano <= 0n) return
    const freeNano = pool.freeUnder(terms, this.#validSinceMs())
    const someNano = smallerOf(freeNano + affordableNano, amountNano)
    await this.#grants.fetch(pool, someNano, () => take(someNano), terms)
  }

  #hasFree(pool: LeasePool, amountNano: Nano): boolean {
    return pool.freeNano(this.#validSinceMs()) >= amountNano
  }

  #collectOwn(
    pool: LeasePool,
    amountNano: Nano,
    fetch: () => Promise<boolean>,
    terms?: BudgetTerms,
  ): Promise<boolean | ShortFunds> {
    const { engine } = this.#deps
    return collectIdle({
      findShort: () => findShortFunds(engine, pool, terms ?? pool.terms, amountNano),
      giveBack: (short) => this.#returnIdle(pool, short),
      fetch,
    })
  }

  /** Returns owed units, and idle money that may help, to the database; false when there was nothing. */
  async #returnIdle({ accountId, keyId }: Payer, short: ShortFunds): Promise<boolean> {
    const helps = (pool: LeasePool): boolean =>
      pool.accountId === accountId && mayHelp(short, pool, keyId)
    const isReturned = await this.#returns.returnDue(this.#deps.clock.monotonicMs())
    await this.#refills.arrived(helps)
    const own = [...this.#pools.values()].filter(helps)
    const isGiven = await Promise.all(own.map((pool) => this.#takeBack(pool)))
    return isReturned || isGiven.includes(true)
  }

  #giveBack(pool: LeasePool): void {
    this.#refills.revoke(pool)
    void this.#takeBack(pool)
  }

  #takeBack(pool: LeasePool): Promise<boolean> {
    return this.#returns.give(pool, () => takeBack(pool, this.#validSinceMs()))
  }

  #tick(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const leaseNowMs = this.#time.nowMs()
    void this.#returns.returnDue(nowMs)
    this.#context.tally.sample(this.#deps.clock.nowMs())
    this.#recalls.tidy(nowMs)
    this.#rules.tick()
    for (const pool of this.#pools.values()) {
      const isIdle = nowMs - pool.lastUsedMs >= leaseTimes.idleMs && pool.heldNano === 0n
      if (isIdle && !this.#waiting.has(pool) && !this.#refills.isRunning(pool)) {
        this.#giveBack(pool)
        // A lease cannot be closed before the database has all of its settlements; the next tick tries again.
        if (pool.leases.length + pool.fetches === 0) this.#pools.delete(pool)
        continue
      }
      // The youngest lease is in use; the unused money of the older ones returns to the database.
      if (pool.leases.length > 1 || pool.hasEnded(leaseNowMs - leaseTimes.admitMs))
        void this.#returns.give(pool, () => closeIdleLeases(pool, this.#validSinceMs()))
      this.#renewals.renewDue(pool, leaseNowMs)
    }
  }
}
