import type { Clock } from '../../core/clock.ts'
import type { RandomBytes } from '../../core/id.ts'
import { type Nano, smallerOf } from '../../core/money.ts'
import type { Change } from '../../store/changes.ts'
import type { Engine } from '../../store/engine.ts'
import type { GroupCommit } from '../../store/group-commit.ts'
import type { ShapedRecord } from '../../store/shape.ts'
import { refuseStopped } from '../audit/audit-stops.ts'
import { type Journal, journalFull, noRoomForUncharged } from '../journal/journal.ts'
import type {
  Foresight,
  HoldRefusal,
  HoldRequest,
  HoldVerdict,
  Ledger,
  LedgerTrouble,
  PurseName,
} from '../ledger.ts'
import { markSettled } from '../replica.ts'
import { SleepAwareClock } from '../sleep-aware-clock.ts'
import { explainShortage } from './explain-shortage.ts'
import { foresee } from './foresee.ts'
import { takeBack, takeBackElders } from './give-back.ts'
import { HoldTally, type LedgerVitals } from './hold-tally.ts'
import { LeaseGrants } from './lease-grants.ts'
import { type HoldBook, LeaseHold } from './lease-hold.ts'
import { LeasePool, type PooledLease } from './lease-pool.ts'
import { LeaseRenewals } from './lease-renewals.ts'
import { LeaseReturns } from './lease-returns.ts'
import { leaseTimes } from './lease-times.ts'
import type { LeaseOwner } from './lease-units.ts'
import { MoneyFetches } from './money-fetches.ts'
import { Recalls } from './recalls.ts'
import { Refills } from './refills.ts'
import { WaitingLines } from './waiting-lines.ts'
import { inTime, within } from './within.ts'

/** Past this the database is too far behind: nothing new is admitted until it has caught up. */
const unshippedMax = 100_000
/** Past this rows of refused requests are left out: they must not use up what is there for requests that pay. */
const unshippedUnchargedMax = 75_000

export interface LeaseLedgerDeps {
  readonly engine: Engine
  readonly commits: GroupCommit
  readonly owner: LeaseOwner
  readonly clock: Clock
  readonly journal: Journal
  /** What the names of leases are made of; the system's randomness when it is not given. */
  readonly random?: RandomBytes
  /** Asks every other process to give back what it does not need of this account. */
  recall(accountId: string): Promise<void>
  onError(what: string, error: unknown): void
  onClose?(): void
  /** The last thing that is done, with the news whether the database has all leases back. */
  onClosed?(hasLeftNothing: boolean): void
}

/**
 * Money by leases: the database moves money into a lease that this process owns, and requests spend that in
 * memory. Only the rare request that finds its lease empty waits for the database.
 */
export class LeaseLedger implements Ledger {
  readonly #deps: LeaseLedgerDeps
  readonly #pools = new Map<string, LeasePool>()
  readonly #waiting: WaitingLines
  readonly #timer: ReturnType<typeof setInterval>
  readonly #recalls: Recalls
  readonly #refills: Refills
  readonly #fetches = new MoneyFetches()
  readonly #book: HoldBook
  /** By which leases are ours: what was slept through is not. */
  readonly #time: SleepAwareClock
  /** What has been taken out of pools, and the database does not know yet because it could not be reached. */
  readonly #returns: LeaseReturns
  readonly #renewals: LeaseRenewals
  readonly #grants: LeaseGrants
  /** Why the database does not take this process for what it is. */
  #fencedWhy: string | undefined

  constructor(deps: LeaseLedgerDeps) {
    this.#deps = deps
    this.#time = new SleepAwareClock(deps.clock)
    this.#returns = new LeaseReturns(deps)
    this.#grants = new LeaseGrants(deps, this.#time, this.#returns)
    this.#renewals = new LeaseRenewals(deps, (pool) => this.#takeBack(pool))
    this.#recalls = new Recalls(deps)
    this.#waiting = new WaitingLines({
      nowMs: () => deps.clock.monotonicMs(),
      take: (pool, request) => this.#take(pool, request),
      // Whoever waits may give up before the money is here, and the pool must outlive that.
      obtain: (pool, request) => this.#fetches.track(pool, this.#obtain(pool, request)),
      stillShort: (pool, leastNano) => this.#fetches.track(pool, this.#stillShort(pool, leastNano)),
      lookAgain: (pool, leastNano) => this.#fetches.track(pool, this.#lookAgain(pool, leastNano)),
    })
    this.#refills = new Refills({
      clock: deps.clock,
      grant: (pool, amountNano) => this.#grants.bringForLater(pool, amountNano),
      giveBack: (pool) => this.#giveBack(pool),
    })
    this.#book = {
      journal: deps.journal,
      tally: new HoldTally(),
      setAside: (pool, lease, request) => this.#setAside(pool, lease, request),
      setSomeAside: (pool, lease, request) => this.#setSomeAside(pool, lease, request),
    }
    this.#timer = setInterval(() => this.#tick(), leaseTimes.tickMs)
  }

  get openHolds(): number {
    return this.#book.tally.open
  }

  get unshipped(): number {
    return this.#deps.journal.unshipped
  }

  vitals(): LedgerVitals {
    return this.#book.tally.vitals()
  }

  /** The database knows this identity as another's, and our leases with it: from now on nothing is admitted. */
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
    const pool = this.#poolOf(request)
    pool.lastUsedMs = this.#deps.clock.monotonicMs()
    // Those who wait go first.
    if (!this.#waiting.has(pool)) {
      const hold = this.#take(pool, request)
      if (hold) return { ok: true, hold }
    }
    return this.#waiting.join(pool, request)
  }

  async foresee(name: PurseName): Promise<Foresight> {
    this.#mustBeOpen()
    return foresee(this.#deps, this.#pools.values(), name, this.#validSinceMs())
  }

  apply(changes: readonly Change[]): void {
    for (const { topic, subject } of changes) {
      if (topic === 'key') this.#giveBack(this.#pools.get(subject))
      if (topic !== 'account' && topic !== 'recall') continue
      for (const pool of this.#pools.values()) if (pool.accountId === subject) this.#giveBack(pool)
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
    await this.#returns.bringOwed()
    for (const pool of this.#pools.values()) await this.#takeBack(pool)
    await this.#returns.bringOwed()
    await this.#deps.commits.settled()
    const isSettled = await this.#markSettled()
    if (isSettled) this.#deps.journal.remove()
    this.#deps.onClosed?.(isSettled)
  }

  /** Whether the database has everything, and knows it: otherwise the next start must find the journal. */
  async #markSettled(): Promise<boolean> {
    const { journal, engine, owner } = this.#deps
    const isEmpty = [...this.#pools.values()].every((pool) => pool.leases.length === 0)
    if (!isEmpty || !this.#returns.isEmpty || journal.unshipped > 0) return false
    try {
      await markSettled(engine, owner)
      return true
    } catch (error) {
      this.#deps.onError('not_closed', error)
      return false
    }
  }

  #mustBeOpen(): void {
    if (this.trouble) throw new Error(this.trouble.why)
  }

  #poolOf({ keyId, accountId }: HoldRequest): LeasePool {
    let pool = this.#pools.get(keyId)
    if (!pool) {
      pool = new LeasePool(keyId, accountId)
      this.#pools.set(keyId, pool)
    }
    return pool
  }

  /** A lease that was last renewed before this admits nothing. */
  #validSinceMs(): number {
    return this.#time.nowMs() - leaseTimes.admitMs
  }

  #take(pool: LeasePool, request: HoldRequest): LeaseHold | undefined {
    const lease = pool.take(request.amountNano, this.#validSinceMs())
    if (!lease) return undefined
    if (pool.isLow && this.#fencedWhy === undefined) this.#refills.begin(pool, request.amountNano)
    try {
      return new LeaseHold(this.#book, pool, lease, request)
    } catch (error) {
      pool.release(lease, request.amountNano, 0n)
      throw error
    }
  }

  /** Money from the database, from our own idle leases, from other processes' idle leases; else the reason why not. */
  async #obtain(pool: LeasePool, request: HoldRequest): Promise<HoldRefusal | undefined> {
    const isThere = (): boolean => this.#hasFree(pool, request.amountNano)
    if (await this.#findMoney(pool, request, isThere)) return undefined
    return (await this.#explain(pool))(request.amountNano)
  }

  async #stillShort(
    pool: LeasePool,
    leastNano: Nano,
  ): Promise<((amountNano: Nano) => HoldRefusal) | undefined> {
    return (await this.#bring(pool, leastNano)) ? undefined : this.#explain(pool)
  }

  /** For those who wait for money under way: what has come back may lie here, at home, or with other processes. */
  async #lookAgain(
    pool: LeasePool,
    leastNano: Nano,
  ): Promise<((amountNano: Nano) => HoldRefusal) | undefined> {
    if (await this.#bring(pool, leastNano)) return undefined
    if ((await this.#collectOwn(pool)) && (await this.#bring(pool, leastNano))) return undefined
    await this.#recalls.ask(pool.accountId)
    return this.#explain(pool)
  }

  async #explain({ keyId }: LeasePool): Promise<(amountNano: Nano) => HoldRefusal> {
    // The database must know all that is spent before it is asked what is left.
    const shipped = this.#deps.journal.shipped()
    await inTime(shipped, leaseTimes.shippedMs, 'the database is too far behind')
    return explainShortage(this.#deps.engine, keyId)
  }

  /** For those who wait in a line: they look again when it has been called back meanwhile. */
  #bring(pool: LeasePool, amountNano: Nano): Promise<boolean> {
    return this.#grants.bring(pool, amountNano, () => this.#hasFree(pool, amountNano))
  }

  /** `take` says whether the pool has enough, and may set it aside. */
  async #findMoney(pool: LeasePool, request: HoldRequest, take: () => boolean): Promise<boolean> {
    const { accountId, amountNano } = request
    if (await this.#hasArrived(pool, take)) return true
    await this.#renewals.renewUnsure(this.#pools.values(), accountId, this.#time.nowMs())
    if (await this.#grants.bring(pool, amountNano, take)) return true
    await refuseStopped(this.#deps.engine, accountId)
    if ((await this.#collectOwn(request)) && (await this.#grants.bring(pool, amountNano, take)))
      return true
    if (request.waitsFor !== undefined) return false
    return this.#recalls.wait(
      accountId,
      async () => take() || (await this.#grants.bring(pool, amountNano, take)),
    )
  }

  /** Whether what was on its way already is enough. */
  async #hasArrived(pool: LeasePool, take: () => boolean): Promise<boolean> {
    if (!this.#refills.isRunning(pool)) return false
    await this.#refills.arrived((each) => each === pool)
    return take()
  }

  /** More money for a request that is under way. */
  #setAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): boolean | Promise<boolean> {
    const hold = (): boolean => pool.hold(lease, request.amountNano, this.#validSinceMs())
    if (hold()) return true
    if (this.#fencedWhy !== undefined) return false
    return this.#fetches
      .track(pool, this.#findMoney(pool, request, hold))
      .catch((error: unknown) => {
        this.#deps.onError('hold_not_extended', error)
        return false
      })
  }

  /** As much as the pool has or the purse gives at once. Its time is bounded: the end of an answer waits for it. */
  #setSomeAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): Nano | Promise<Nano> {
    const { amountNano } = request
    let heldNano: Nano | undefined
    const holdSome = (): Nano => {
      heldNano ??= pool.holdSome(lease, amountNano, this.#validSinceMs())
      return heldNano
    }
    // What comes when nobody waits for it any more is not set aside.
    const take = (leastNano: Nano): boolean =>
      heldNano !== undefined || (this.#hasFree(pool, leastNano) && holdSome() >= leastNano)
    if (this.#fencedWhy !== undefined || this.#hasFree(pool, amountNano)) return holdSome()
    const brought = this.#fetches
      .track(pool, this.#bringSome(pool, request, take))
      .catch((error: unknown) => this.#deps.onError('hold_not_covered', error))
    return within(brought, leaseTimes.coverMs).then(holdSome)
  }

  async #bringSome(
    pool: LeasePool,
    request: HoldRequest,
    take: (leastNano: Nano) => boolean,
  ): Promise<void> {
    const { amountNano } = request
    if (await this.#findMoney(pool, request, () => take(amountNano))) return
    const refusalOf = await explainShortage(this.#deps.engine, pool.keyId)
    const { affordableNano } = refusalOf(amountNano)
    if (affordableNano <= 0n) return
    const freeNano = pool.freeNano(this.#validSinceMs())
    const someNano = smallerOf(freeNano + affordableNano, amountNano)
    await this.#grants.bring(pool, someNano, () => take(someNano))
  }

  #hasFree(pool: LeasePool, amountNano: Nano): boolean {
    return pool.freeNano(this.#validSinceMs()) >= amountNano
  }

  /** Brings home what is owed, and what other keys of the account have idle here; false when there was nothing. */
  async #collectOwn({ accountId }: PurseName): Promise<boolean> {
    const isBrought = await this.#returns.bringDue(this.#deps.clock.monotonicMs())
    await this.#refills.arrived((pool) => pool.accountId === accountId)
    const own = [...this.#pools.values()].filter((pool) => pool.accountId === accountId)
    const isGiven = await Promise.all(own.map((pool) => this.#takeBack(pool)))
    return isBrought || isGiven.includes(true)
  }

  #giveBack(pool: LeasePool | undefined): void {
    if (!pool) return
    this.#refills.revoke(pool)
    void this.#takeBack(pool)
  }

  #takeBack(pool: LeasePool): Promise<boolean> {
    return this.#returns.give(pool, () => takeBack(pool, this.#validSinceMs()))
  }

  #tick(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const leaseNowMs = this.#time.nowMs()
    void this.#returns.bringDue(nowMs)
    this.#book.tally.sample(this.#deps.clock.nowMs())
    this.#recalls.tidy(nowMs)
    for (const pool of this.#pools.values()) {
      const isIdle = nowMs - pool.lastUsedMs >= leaseTimes.idleMs && pool.heldNano === 0n
      if (isIdle && !this.#waiting.has(pool) && !this.#refills.isRunning(pool)) {
        this.#giveBack(pool)
        // A lease that cannot be closed yet, because the database has not all of its settlements, is tried again.
        if (pool.leases.length + pool.fetches === 0) this.#pools.delete(pool.keyId)
        continue
      }
      // A young lease does the work; the rests of its elders go home.
      if (pool.leases.length > 1)
        void this.#returns.give(pool, () => takeBackElders(pool, this.#validSinceMs()))
      this.#renewals.renewDue(pool, leaseNowMs)
    }
  }
}
