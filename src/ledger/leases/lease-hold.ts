import { type Nano, smallerOf } from '../../core/money/money.ts'
import type { ShapedRecord } from '../../store/units/shape.ts'
import { admitValues, checkpointValues } from '../journal/admit-record.ts'
import type { Admission, Journal, Settling } from '../journal/journal.ts'
import { settleRecords } from '../journal/settle-record.ts'
import type { Hold, HoldRefusal, HoldRequest, Progress, Settlement } from '../ledger.ts'
import type { HoldTally } from './hold-tally.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'

/** State and operations that the holds of one process share. */
export interface HoldContext {
  readonly journal: Journal
  readonly tally: HoldTally
  /** Holds more of a key's money; false when there is not enough. */
  setAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): boolean | Promise<boolean>
  /** Holds as much of the amount as there is, and returns that amount. */
  setSomeAside(pool: LeasePool, lease: PooledLease, request: HoldRequest): Nano | Promise<Nano>
  explainShortage(pool: LeasePool, lease: PooledLease): Promise<(amountNano: Nano) => HoldRefusal>
}

/** The hold of one request on a lease. */
export class LeaseHold implements Hold, Admission, Settling {
  denseIndex: number | undefined
  grantedNano: Nano
  readonly atMs: number
  readonly admitted: Promise<void>
  journalPlace: object | undefined
  readonly #context: HoldContext
  readonly #pool: LeasePool
  readonly #lease: PooledLease
  /** Cleared at settlement to free memory: the hold itself stays in memory until the database has the entry. */
  #request: HoldRequest | undefined
  #costNano: Nano = 0n

  constructor(context: HoldContext, pool: LeasePool, lease: PooledLease, request: HoldRequest) {
    this.grantedNano = request.amountNano
    this.atMs = request.recovery.at
    this.#context = context
    this.#pool = pool
    this.#lease = lease
    this.#request = request
    this.admitted = context.journal.admit(this, admitValues(request, lease))
    context.tally.admit(this)
  }

  extend(moreNano: Nano): boolean | Promise<boolean> {
    const request = this.#request
    if (!request) return false
    const more = { ...request, amountNano: moreNano }
    const isSetAside = this.#context.setAside(this.#pool, this.#lease, more)
    return isSetAside instanceof Promise
      ? isSetAside.then((isGiven) => isGiven && this.#grow(moreNano))
      : isSetAside && this.#grow(moreNano)
  }

  async explainShortage(amountNano: Nano): Promise<HoldRefusal> {
    const refusalOf = await this.#context.explainShortage(this.#pool, this.#lease)
    const refusal = refusalOf(amountNano)
    return { ...refusal, affordableNano: refusal.affordableNano + this.grantedNano }
  }

  cover(excessNano: Nano): void | Promise<void> {
    const request = this.#request
    if (!request) return undefined
    const excess: HoldRequest = { ...request, amountNano: excessNano, waitsFor: 'nothing' }
    const someNano = this.#context.setSomeAside(this.#pool, this.#lease, excess)
    if (someNano instanceof Promise) return someNano.then((nano) => void this.#grow(nano))
    this.#grow(someNano)
    return undefined
  }

  checkpoint(progress: Progress): void {
    if (!this.#request) return
    this.#context.journal.checkpoint(this, checkpointValues(this.#request, this.#lease, progress))
  }

  /** Returns the money if the request has ended while the money was on its way. */
  #grow(moreNano: Nano): boolean {
    if (!this.#request) {
      this.#pool.letGo(this.#lease, moreNano)
      return false
    }
    this.grantedNano += moreNano
    return true
  }

  settle(settlement: Settlement, alongside: readonly ShapedRecord[]): void {
    void this.settleSoon(settlement, alongside)
    this.#context.journal.flush()
  }

  settleSoon(settlement: Settlement, alongside: readonly ShapedRecord[]): Promise<void> {
    const request = this.#request
    if (!request) throw new Error('this request is settled already')
    const { requestId, accountId, keyId } = request
    const { id: leaseId, terms } = this.#lease
    const budgetSet = terms.setId === '' ? undefined : terms.setId
    const settled = { requestId, accountId, keyId, leaseId, budgetSet }
    const records = settleRecords(settled, withinHold(settlement, this.grantedNano))
    this.#request = undefined
    this.#costNano = smallerOf(settlement.costNano, this.grantedNano)
    return this.#context.journal.settle(this, [...records, ...alongside])
  }

  notAdmitted(): void {
    this.#pool.release(this.#lease, this.grantedNano, 0n)
    this.#context.tally.withdraw(this)
  }

  settleWritten(): void {
    this.#lease.unshipped += 1
    this.#pool.release(this.#lease, this.grantedNano, this.#costNano)
    this.#context.tally.write(this)
  }

  settleShipped(): void {
    this.#lease.unshipped -= 1
    this.#context.tally.ship()
  }
}

/** A request never costs its account more than its hold, whatever the reported cost is. */
function withinHold(settlement: Settlement, grantedNano: Nano): Settlement {
  const { costNano, uncoveredNano = 0n } = settlement
  if (costNano <= grantedNano) return settlement
  return {
    ...settlement,
    costNano: grantedNano,
    uncoveredNano: uncoveredNano + costNano - grantedNano,
  }
}
