import { Fault } from '../core/fault.ts'

/**
 * Bodies up to this size count towards the process limit, but not towards the account's share: small bodies do not fill
 * the budget.
 */
const smallBytes = 64 * 1024
/** The share of one account, so that one caller cannot block all others. */
const accountShare = 0.5
const retrySeconds = 1

/** Counts the bytes of request bodies that this process holds; 503 beyond the limit. */
export class BodyBudget {
  readonly #bytesMax: number
  readonly #byAccount = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Changes the number of bytes that one request holds. */
  change(from: number, to: number, accountId: string): void {
    if (to > from && this.#bytes + to - from > this.#bytesMax) throw full('this gateway')
    const counted = countedOf(to) - countedOf(from)
    if (counted !== 0) {
      const accountBytes = (this.#byAccount.get(accountId) ?? 0) + counted
      if (counted > 0 && accountBytes > this.#bytesMax * accountShare) throw full('this account')
      if (accountBytes > 0) this.#byAccount.set(accountId, accountBytes)
      else this.#byAccount.delete(accountId)
    }
    this.#bytes += to - from
  }
}

function countedOf(bytes: number): number {
  return bytes > smallBytes ? bytes : 0
}

/** The bytes that one request holds. The request releases all of them at once. */
export class BodyShare {
  readonly #budget: BodyBudget
  readonly #accountId: string
  #bytes = 0

  constructor(budget: BodyBudget, accountId: string) {
    this.#budget = budget
    this.#accountId = accountId
  }

  take(bytes: number): void {
    this.#change(this.#bytes + bytes)
  }

  release(): void {
    this.#change(0)
  }

  #change(bytes: number): void {
    this.#budget.change(this.#bytes, bytes, this.#accountId)
    this.#bytes = bytes
  }
}

function full(whose: string): Fault {
  return new Fault(
    'unavailable',
    `The requests of ${whose} that are in flight hold as many bytes of request bodies as bodiesInFlightBytesMax allows. Try again when some have been answered.`,
    { retryAfterSeconds: retrySeconds },
  )
}
