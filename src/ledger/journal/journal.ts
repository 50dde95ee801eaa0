import type { ShapedRecord } from '../../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'

/** What an answer waits for before its last byte leaves. */
export const durabilities = ['journal', 'fsync', 'database'] as const
export type Durability = (typeof durabilities)[number]

/** Said when nothing is admitted because of its size. */
export const journalFull = 'the journal is full: the database is too far behind'

export const noRoomForUncharged =
  'the database is behind, and refused requests have filled their part of the journal; requests that are admitted are still recorded'

/** A request that is about to be forwarded, as the journal sees it. */
export interface Admission {
  /** The journal's own mark of where it has written this down. */
  journalPlace: object | undefined
  /** It could not be written: the request is not forwarded. */
  notAdmitted(): void
}

/** A request that has come to its end, as the journal sees it. */
export interface Settling {
  readonly journalPlace: object | undefined
  /** It is written down, and outlives this process. */
  settleWritten(): void
  /** The database has it. */
  settleShipped(): void
}

/**
 * Where one process writes down what it owes the database. What comes within one turn of the event loop is one
 * write, and shares one promise, which is rejected when it cannot be written.
 */
export interface Journal {
  /** A request may be forwarded once this resolves. */
  admit(admission: Admission, values: AdmitValues): Promise<void>
  /** Writes down how far an admitted request has come, in place of what was written of it before. */
  checkpoint(admission: Admission, values: AdmitValues): void
  /** What the database must learn about a request; handed to the shipper. An answer may leave once this resolves. */
  settle(settling: Settling | undefined, records: readonly ShapedRecord[]): Promise<void>
  /** Writes what this turn has brought so far now; throws when it cannot be written. */
  flush(): void
  /** Resolves when everything written so far is in the database. */
  shipped(): Promise<void>
  /** How many requests the database has yet to learn of. */
  readonly unshipped: number
  /** Nothing is admitted until the database has caught up. */
  readonly isFull: boolean
  /** Whether a row of a refused request may be written: a part of the journal is kept for requests that pay. */
  readonly hasRoomForUncharged: boolean
  /** Brings to the database what can be brought within a time; the rest waits for the next start. */
  close(withinMs: number): Promise<void>
  /** After it was closed: the database has all of it, and knows that. */
  remove(): void
}
