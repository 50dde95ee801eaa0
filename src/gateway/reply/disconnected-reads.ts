import type { Route } from '../../catalog/catalog-snapshot.ts'
import { vendors } from '../../vendors/index.ts'
import { limits } from '../limits.ts'

/** Counts the responses that a process still reads after their clients have disconnected. */
export class DisconnectedReads {
  #byAccount = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  /** Whether one more may be read. If true, the reader must report its end. */
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

/** How long a response is read after its client has disconnected. */
export function readOnMs(route: Route, answer: { isStream: boolean; isFinished: boolean }): number {
  // Nothing more is generated once the answer is complete: only its usage is missing.
  return answer.isFinished || billsOn(route, answer.isStream) ? limits.readOnMs : limits.graceMs
}

/** Whether the vendor generates and bills the full answer although the connection was closed. */
function billsOn({ upstream }: Route, isStream: boolean): boolean {
  if (upstream.billsOnAbort !== undefined) return upstream.billsOnAbort
  return !isStream || (vendors.get(upstream.vendor)?.billsAbortedStreams ?? true)
}
