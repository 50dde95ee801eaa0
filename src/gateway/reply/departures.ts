import type { Route } from '../../catalog/catalog-snapshot.ts'
import { vendors } from '../../vendors/index.ts'
import { limits } from '../limits.ts'

/** Counts the answers of a process that are read on after their callers have gone. */
export class Departures {
  #byAccount = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** Whether one more may be read; whoever may must say when it is over. */
  begin(accountId: string): boolean {
    const own = this.#byAccount.get(accountId) ?? 0
    if (this.#total >= limits.readersMax || own >= limits.readersPerAccountMax) return false
    this.#total += 1
    this.#byAccount.set(accountId, own + 1)
    return true
  }

  end(accountId: string): void {
    this.#total -= 1
    this.#byAccount.set(accountId, (this.#byAccount.get(accountId) ?? 1) - 1)
    if (this.#total === 0) this.#byAccount = new Map()
  }
}

/** For how long an answer is read whose caller has gone. */
export function readOnMs(route: Route, answer: { isStream: boolean; isFinished: boolean }): number {
  // Nothing more is generated once the answer is complete: only its usage is missing.
  return answer.isFinished || billsOn(route, answer.isStream) ? limits.readOnMs : limits.graceMs
}

/** Whether the vendor generates, and bills, an answer to its end although its connection was closed. */
function billsOn({ upstream }: Route, isStream: boolean): boolean {
  if (upstream.billsOnAbort !== undefined) return upstream.billsOnAbort
  return !isStream || (vendors.get(upstream.vendor)?.billsAbortedStreams ?? true)
}
