import type { ShapedRecord } from '../../store/shape.ts'
import type { AdmitValues } from './admit-record.ts'

/** What a response waits for before its last byte is sent. */
export const durabilities = ['journal', 'fsync', 'database'] as const
export type Durability = (typeof durabilities)[number]

/** The message when nothing is admitted because the journal is full. */
export const journalFull = 'the journal is full: the database is too far behind'

export const noRoomForUncharged =
  'the database is behind, and refused requests have filled their part of the journal; requests that are admitted are still recorded'

/** A request that is about to be forwarded, as the journal sees it. */
export interface Admission {
  /** The journal's own reference to the segment with this admission. */
  journalPlace: object | undefined
  /** The admission could not be written, so the request is not forwarded. */
  notAdmitted(): void
}

/** A request that has ended, as the journal sees it. */
export interface Settling {
  readonly journalPlace: object | undefined
  /** The settlement is written and survives the death of this process. */
  settleWritten(): void
  /** The database has the settlement. */
  settleShipped(): void
}

/**
 * The records that one process owes the database. All calls within one turn of the event loop share one write and one
 * promise, which rejects when the write fails.
 */
export interface Journal {
  /** The request may be forwarded once this resolves. */
  admit(admission: Admission, values: AdmitValues): Promise<void>
  /** Records the progress of an admitted request. It replaces the earlier record of the request. */
  checkpoint(admission: Admission, values: AdmitValues): void
  /** Records for the database about a request, passed to the shipper. The response may end once this resolves. */
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
