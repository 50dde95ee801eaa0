import type { ShapedRecord } from '../../store/units/shape.ts'
import type { AdmitValues } from './admit-record.ts'

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
  /** Writes the records of this turn now; throws when the write fails. */
  flush(): void
  /** Resolves when the database has everything written so far. */
  shipped(): Promise<void>
  /** Number of requests whose records the database does not have yet. */
  readonly unshipped: number
  /** Whether the journal is full. Nothing is admitted until the database catches up. */
  readonly isFull: boolean
  /**
   * Whether a usage row of a refused request may be written. A part of the journal is reserved for requests that pay.
   */
  readonly hasRoomForUncharged: boolean
  /** Ships what it can within the time; the rest waits for the next start. */
  close(withinMs: number): Promise<void>
  /** Removes the files after `close`, when the database has everything and has recorded that. */
  remove(): void
}
