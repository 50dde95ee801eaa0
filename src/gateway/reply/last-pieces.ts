import { turns } from '../../core/runtime/turns.ts'
import { limits } from '../limits.ts'
import { cutPortion } from './cut-portion.ts'

type Controller = ReadableStreamDefaultController<Uint8Array>

/** The end of a stream. One turn's worth is written at once, the rest as the client reads. */
export class LastPieces {
  #rest: readonly Uint8Array[] = []

  /** Whether the client has yet to read some of the end. */
  get isWaiting(): boolean {
    return this.#rest.length > 0
  }

  begin(controller: Controller, pieces: readonly Uint8Array[]): void {
    const { now, rest } = cutPortion(pieces, limits.writtenBytesATurn)
    this.#rest = rest
    try {
      for (const piece of now) controller.enqueue(piece)
      if (!this.isWaiting) controller.close()
    } catch {
      // The client disconnected during the settlement.
      this.drop()
    }
  }

  async resume(controller: Controller): Promise<void> {
    await turns.next()
    if (this.isWaiting) this.begin(controller, this.#rest)
  }

  drop(): void {
    this.#rest = []
  }
}
