import type { ShapedRecord } from '../../store/units/shape.ts'
import type { AdmitValues } from './admit-record.ts'
import type { Admission, Settling } from './journal.ts'

/** The records of one turn of the event loop. They are written all at once or not at all. */
export class JournalTurn {
  readonly admissions: Admission[] = []
  readonly admitted: AdmitValues[] = []
  /** Requests whose journal position moves to the segment of this turn. */
  readonly checkpoints: Admission[] = []
  readonly progress: AdmitValues[] = []
  readonly settlings: Settling[] = []
  readonly records: ShapedRecord[] = []
  /** Number of requests with records. */
  requests = 0
  readonly #written = Promise.withResolvers<void>()
  readonly #safe = Promise.withResolvers<void>()

  constructor() {
    // Waiting requests get the failure. A failure without a waiting request must not count as an unhandled rejection.
    this.#written.promise.catch(() => undefined)
    this.#safe.promise.catch(() => undefined)
  }

  get written(): Promise<void> {
    return this.#written.promise
  }

  /** Resolves when the turn is as durable as the end of a response requires. */
  get safe(): Promise<void> {
    return this.#safe.promise
  }

  /**
   * The lines are in the file, which is enough to forward the admitted requests. The written values need not stay in
   * memory until they are shipped.
   */
  admit(): void {
    this.admissions.length = 0
    this.admitted.length = 0
    this.checkpoints.length = 0
    this.progress.length = 0
    this.records.length = 0
    this.#written.resolve()
  }

  succeed(): void {
    for (const settling of this.settlings) settling.settleWritten()
    this.#safe.resolve()
  }

  /** Nothing of the turn was written. */
  fail(error: unknown): void {
    for (const admission of this.admissions) admission.notAdmitted()
    this.#written.reject(error)
    this.#safe.reject(error)
  }

  /** The turn was written, but is not durable. */
  failSettling(error: unknown): void {
    this.#safe.reject(error)
  }
}
