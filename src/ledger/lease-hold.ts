import type { Nano } from '../core/money.ts'
import type { ShapedRecord } from '../store/shape.ts'
import { type AdmitValues, admitValues } from './admit-record.ts'
import type { HoldTally } from './hold-tally.ts'
import type { Admission, Journal, Settling } from './journal.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'
import type { Hold, HoldWish, Settlement } from './ledger.ts'
import { settleRecord } from './settle-record.ts'

/** What the holds of one process have in common. */
export interface HoldBook {
  readonly journal: Journal
  readonly tally: HoldTally
  /** Sets more of a key's money aside; false when it is not to be had. */
  setAside(pool: LeasePool, lease: PooledLease, wish: HoldWish): boolean | Promise<boolean>
}

/** Money that one request has set aside on a lease. */
export class LeaseHold implements Hold, Admission, Settling {
  grantedNano: Nano
  readonly admitValues: AdmitValues
  readonly admitted: Promise<void>
  journalPlace: object | undefined
  readonly #book: HoldBook
  readonly #pool: LeasePool
  readonly #lease: PooledLease
  readonly #wish: HoldWish
  #costNano: Nano | undefined

  constructor(book: HoldBook, pool: LeasePool, lease: PooledLease, wish: HoldWish) {
    this.grantedNano = wish.amountNano
    this.admitValues = admitValues(wish, lease.id)
    this.#book = book
    this.#pool = pool
    this.#lease = lease
    this.#wish = wish
    this.admitted = book.journal.admit(this)
    book.tally.admit(this)
  }

  extend(moreNano: Nano): boolean | Promise<boolean> {
    const more = { ...this.#wish, amountNano: moreNano }
    const isSetAside = this.#book.setAside(this.#pool, this.#lease, more)
    const note = (isGiven: boolean): boolean => {
      if (isGiven) this.grantedNano += moreNano
      return isGiven
    }
    return isSetAside instanceof Promise ? isSetAside.then(note) : note(isSetAside)
  }

  settle(settlement: Settlement, alongside: readonly ShapedRecord[]): void {
    void this.settleSoon(settlement, alongside)
    this.#book.journal.flush()
  }

  settleSoon(settlement: Settlement, alongside: readonly ShapedRecord[]): Promise<void> {
    const [requestId, accountId, keyId, leaseId] = this.admitValues
    if (this.#costNano !== undefined) throw new Error(`request ${requestId} is settled already`)
    const record = settleRecord({ requestId, accountId, keyId, leaseId }, settlement)
    this.#costNano = settlement.costNano
    return this.#book.journal.settle(this, [record, ...alongside])
  }

  notAdmitted(): void {
    this.#pool.release(this.#lease, this.grantedNano, 0n)
    this.#book.tally.withdraw(this)
  }

  settleWritten(): void {
    this.#lease.unshipped += 1
    this.#pool.release(this.#lease, this.grantedNano, this.#costNano ?? 0n)
    this.#book.tally.write(this)
  }

  settleShipped(): void {
    this.#lease.unshipped -= 1
    this.#book.tally.ship()
  }
}
