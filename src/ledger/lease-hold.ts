import type { Nano } from '../core/money.ts'
import type { ShapedRecord } from '../store/shape.ts'
import { type AdmitValues, admitValues } from './admit-record.ts'
import type { Admission, Journal, Settling } from './journal.ts'
import type { LeasePool, PooledLease } from './lease-pool.ts'
import type { Hold, HoldWish, Settlement } from './ledger.ts'
import { settleRecord } from './settle-record.ts'

/** What the holds of one process have in common. */
export interface HoldBook {
  readonly journal: Journal
  openHolds: number
}

/** Money that one request has set aside on a lease. */
export class LeaseHold implements Hold, Admission, Settling {
  readonly grantedNano: Nano
  readonly admitted: Promise<void>
  journalPlace: object | undefined
  readonly #book: HoldBook
  readonly #pool: LeasePool
  readonly #lease: PooledLease
  /** Forgotten when it is settled: the hold itself is remembered until the database has it. */
  #values: AdmitValues | undefined
  #costNano: Nano = 0n

  constructor(book: HoldBook, pool: LeasePool, lease: PooledLease, wish: HoldWish) {
    this.grantedNano = wish.amountNano
    const values = admitValues(wish, lease.id)
    this.#values = values
    this.#book = book
    this.#pool = pool
    this.#lease = lease
    book.openHolds += 1
    this.admitted = book.journal.admit(this, values)
  }

  settle(settlement: Settlement, alongside: readonly ShapedRecord[]): void {
    void this.settleSoon(settlement, alongside)
    this.#book.journal.flush()
  }

  settleSoon(settlement: Settlement, alongside: readonly ShapedRecord[]): Promise<void> {
    if (!this.#values) throw new Error('this request is settled already')
    const [requestId, accountId, keyId, leaseId] = this.#values
    const record = settleRecord({ requestId, accountId, keyId, leaseId }, settlement)
    this.#values = undefined
    this.#costNano = settlement.costNano
    return this.#book.journal.settle(this, [record, ...alongside])
  }

  notAdmitted(): void {
    this.#pool.release(this.#lease, this.grantedNano, 0n)
    this.#book.openHolds -= 1
  }

  settleWritten(): void {
    this.#lease.unshipped += 1
    this.#pool.release(this.#lease, this.grantedNano, this.#costNano)
    this.#book.openHolds -= 1
  }

  settleShipped(): void {
    this.#lease.unshipped -= 1
  }
}
