import type { ShapedRecord } from '../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'
import type { Admission, Settling } from './journal.ts'

/** What one turn of the event loop brings to the journal. All of it is written at once, or none of it. */
export class JournalTurn {
  readonly admissions: Admission[] = []
  readonly admitted: AdmitValues[] = []
  readonly settlings: Settling[] = []
  readonly records: ShapedRecord[] = []
  /** Requests with records. */
  requests = 0
  readonly written: Promise<void>
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.written = promise
    this.#resolve = resolve
    this.#reject = reject
    // Those who wait for it hear of a failure; that nobody may wait is no error of its own.
    promise.catch(() => undefined)
  }

  succeed(): void {
    for (const settling of this.settlings) settling.settleWritten()
    this.#resolve()
  }

  fail(error: unknown): void {
    for (const admission of this.admissions) admission.notAdmitted()
    this.#reject(error)
  }
}
