import type { StreamTap } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { type Exchange, progressOf } from '../exchange.ts'
import { limits } from '../limits.ts'

/**
 * Writes down how far a stream has come, so that a process that is killed charges what it has delivered: after a time,
 * or an amount, whichever is first. The amount grows with the stream, so that a long one is not written down more and
 * more often; nothing is written for a stream that stands still.
 */
export class Checkpoints {
  readonly #exchange: Exchange
  readonly #candidate: Candidate
  readonly #tap: StreamTap
  #atMs: number
  #bytes = 0

  constructor(exchange: Exchange, candidate: Candidate, tap: StreamTap, startedMs: number) {
    this.#exchange = exchange
    this.#candidate = candidate
    this.#tap = tap
    this.#atMs = startedMs
  }

  /** `tappedBytes` is how much of the upstream's stream the tap has read until now. */
  look(nowMs: number, tappedBytes: number): void {
    const newBytes = tappedBytes - this.#bytes
    if (newBytes === 0) return
    const isMuch =
      newBytes >= Math.max(limits.checkpointBytes, this.#bytes / limits.checkpointShare)
    if (!isMuch && nowMs - this.#atMs < limits.checkpointMs) return
    this.#atMs = nowMs
    this.#bytes = tappedBytes
    const progress = progressOf(this.#exchange, this.#candidate, this.#tap.reading())
    if (progress) this.#exchange.hold.checkpoint(progress)
  }
}
