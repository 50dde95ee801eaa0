import type { Engine } from '../store/engine.ts'
import { updateJoin } from './demand-rows.ts'
import { beatEveryMs, leaseMs } from './exchange-limits.ts'

export interface LeaseDeps {
  readonly engine: Engine
  readonly replica: string
  readonly elapsedMs: () => number
}

/** Until when the others leave a part of each limit to this process. From then on they may divide its parts. */
export class Lease {
  readonly #deps: LeaseDeps
  #reportEndsMs = Number.NEGATIVE_INFINITY
  #endsMs = Number.POSITIVE_INFINITY
  #beatAtMs = Number.NEGATIVE_INFINITY

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  get isOver(): boolean {
    return this.#deps.elapsedMs() >= Math.min(this.#reportEndsMs, this.#endsMs)
  }

  /** The database has a report of this process that counts until then. */
  noteReport(endsMs: number): void {
    this.#reportEndsMs = endsMs
  }

  /** Shows the others that this process runs, and tells whether it was time to do so. */
  async beat(): Promise<boolean> {
    const { engine, replica, elapsedMs } = this.#deps
    const sentMs = elapsedMs()
    if (sentMs - this.#beatAtMs < beatEveryMs) return false
    // The row may arrive even if no answer comes.
    if (this.#endsMs === Number.POSITIVE_INFINITY) this.#endsMs = sentMs + leaseMs
    await updateJoin(engine, replica, leaseMs)
    this.#endsMs = sentMs + leaseMs
    this.#beatAtMs = sentMs
    return true
  }

  /** A process without others repeats nothing, so those who come must not count it as gone. */
  async end(): Promise<void> {
    if (this.#endsMs === Number.POSITIVE_INFINITY) return
    await updateJoin(this.#deps.engine, this.#deps.replica, 0)
    this.drop()
  }

  /** This process joins the others anew. */
  drop(): void {
    this.#endsMs = Number.POSITIVE_INFINITY
    this.#beatAtMs = Number.NEGATIVE_INFINITY
  }
}
