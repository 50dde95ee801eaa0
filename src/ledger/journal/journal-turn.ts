import type { ShapedRecord } from '../../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'
import type { Admission, Settling } from './journal.ts'

/** What one turn of the event loop brings to the journal. All of it is written at once, or none of it. */
export class JournalTurn {
  readonly admissions: Admission[] = []
  readonly admitted: AdmitValues[] = []
  /** Whose place in the journal moves to where this turn is written. */
  readonly checkpoints: Admission[] = []
  readonly progress: AdmitValues[] = []
  readonly settlings: Settling[] = []
  readonly records: ShapedRecord[] = []
  /** Requests with records. */
  requests = 0
  readonly #written = Promise.withResolvers<void>()
  readonly #safe = Promise.withResolvers<void>()

  constructor() {
    // Those who wait hear of a failure; that nobody may wait is no error of its own.
    this.#written.promise.catch(() => undefined)
    this.#safe.promise.catch(() => undefined)
  }

  get written(): Promise<void> {
    return this.#written.promise
  }

  /** It is as durable as it has to be before an answer may end. */
  get safe(): Promise<void> {
    return this.#safe.promise
  }

  /** The file has it: enough to forward what was admitted. What was written need not be remembered until it is shipped. */
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

  /** Nothing of it was written. */
  fail(error: unknown): void {
    for (const admission of this.admissions) admission.notAdmitted()
    this.#written.reject(error)
    this.#safe.reject(error)
  }

  /** It was written, but is not safe. */
  failSettling(error: unknown): void {
    this.#safe.reject(error)
  }
}
