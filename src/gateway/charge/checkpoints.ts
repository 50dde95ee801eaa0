import type { StreamTap } from '../../protocols/protocol.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { type Exchange, progressOf } from '../exchange.ts'
import { limits } from '../limits.ts'

/**
 * Writes checkpoints of a stream, so that recovery charges what a killed process had delivered: after a time or an
 * amount of data, whichever comes first. The amount grows with the stream, so that a long stream does not get ever more
 * checkpoints. A stream without new data gets none.
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

  /** `tappedBytes` is the number of bytes that the tap has read so far. */
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
