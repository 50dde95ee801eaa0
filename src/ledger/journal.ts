import type { ShapedRecord } from '../store/shape.ts'
import type { HoldStory } from './ledger.ts'

/** What is written down before a request is forwarded, so that a killed process leaves a trace of it. Ids and numbers only. */
export interface AdmitRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly leaseId: string
  readonly recoveryNano: string
  readonly story: HoldStory
}

/** Where one process writes down what it owes the database. Each method returns when that is written, or throws. */
export interface Journal {
  /** A request may be forwarded. The answer is needed to settle it. */
  admit(record: AdmitRecord): Admitted
  /** What the database must learn about a request; handed to the shipper. `whenShipped` is called when it has. */
  settle(
    admitted: Admitted | undefined,
    records: readonly ShapedRecord[],
    whenShipped?: () => void,
  ): void
  /** Resolves when everything written so far is in the database. */
  shipped(): Promise<void>
  /** How much the database has yet to learn. */
  readonly unshipped: number
  close(): Promise<void>
}

/** A mark of an admission in the journal. */
export interface Admitted {
  readonly segment: object
}
