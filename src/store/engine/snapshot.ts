/** A row by its column names. Money is a bigint, every other integer a number. */
export type SnapshotRow = Readonly<Record<string, unknown>>

/** The database as it was at one moment. Writers continue meanwhile, and their changes are not seen. */
export interface Snapshot {
  /** All rows of a statement; for few rows. */
  rows(sql: string): Promise<readonly SnapshotRow[]>
  /** The rows of a statement, some at a time. Only one walk at a time. */
  walk(sql: string): Promise<SnapshotWalk>
}

export interface SnapshotWalk {
  /** The next rows; none after the last one. */
  next(rowsMax: number): Promise<readonly SnapshotRow[]>
}
