import type { Kysely } from 'kysely'
import { OutOfReach } from '../core/fault.ts'
import type { Shape } from './shape.ts'
import type { Tables } from './tables.ts'

export type SqlValue = string | number | bigint | null

/**
 * One SQL statement of a unit. `when` makes it depend on earlier statements of the same unit: it runs only if
 * each of those did, or did not, change a row. That is all the branching that moving money needs, and it lets
 * a whole unit travel to the database at once.
 */
export interface SqlStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  readonly when?: readonly Condition[]
}

export type Condition = readonly [statement: number, outcome: 'changed' | 'unchanged']

/** What a statement did; null when its condition kept it from running. */
export interface StatementResult {
  readonly changes: number
  readonly rows: readonly Record<string, unknown>[]
}

export type UnitResult = readonly (StatementResult | null)[]

/** Statements that belong together, and the rows that must be locked before they run, in one order everywhere. */
export interface Unit {
  readonly statements: readonly SqlStatement[]
  readonly locks?: RowLocks
}

/** In this order everywhere, so that two processes never wait for each other in a circle. */
export interface RowLocks {
  readonly leaseIds?: readonly string[]
  readonly keyId?: string
  readonly accountId?: string
}

export interface Engine {
  readonly kind: 'sqlite' | 'postgres'
  readonly db: Kysely<Tables>
  /** The same over ways of its own, for questions that may take long: nobody who serves requests waits behind them. */
  readonly reportDb: Kysely<Tables>
  /** The same for work that nobody waits for, and that may read whole tables: start-up, commands, housekeeping. */
  readonly patientDb: Kysely<Tables>
  /** The same for migrations, which must not be cut however long they take. */
  readonly schemaDb: Kysely<Tables>
  /** SQL for the milliseconds since 1970 on the database's own clock, the only one that all processes share. */
  readonly clockSql: string
  /** Runs the units in order in one transaction: all of them or none. */
  runUnits(units: readonly Unit[]): Promise<UnitResult[]>
  /** Makes shapes known; their tables must be there. */
  defineShapes(shapes: readonly Shape[]): Promise<void>
  /**
   * Applies records in one transaction: those of one shape in order, but an engine may take the shapes one after the
   * other, by their names. Each text is a JSON list of records of shapes that have been defined. Applying the same
   * text again must change nothing: that is the shapes' business.
   */
  applyRecords(texts: readonly string[]): Promise<void>
  /** Calls back soon after any process on this database has announced a change. Polling is the caller's. */
  onNotify(callback: () => void): Promise<void>
  notify(): Promise<void>
  /** For how long the database has not answered anybody who asked it, in milliseconds; 0 while it answers. */
  outOfReachMs(): number
  close(): Promise<void>
}

/** A failure that a repetition of the same transaction may cure at once. Any other may be cured by time, but one. */
export class TransientStoreError extends OutOfReach {
  override readonly name: string = 'TransientStoreError'
}

/** The database did not answer in time. A repetition may cure it, but whoever asks now has waited long enough. */
export class DatabaseSilent extends TransientStoreError {
  override readonly name = 'DatabaseSilent'
}

/** The connection has ended, may only read or cannot be made. A repetition has a new one. */
export class ConnectionStale extends TransientStoreError {
  override readonly name = 'ConnectionStale'
}

/** Whether what one caller was told holds for everybody who waits for the same: none needs to ask by itself. */
export function isForEverybody(error: unknown): boolean {
  return error instanceof DatabaseSilent || error instanceof ConnectionStale
}

/** True for a failure that whoever asks may repeat at once. */
export function isWorthRetrying(error: unknown): boolean {
  return error instanceof TransientStoreError && !(error instanceof DatabaseSilent)
}

/** The engine for work that nobody waits for. */
export function patiently(engine: Engine): Engine {
  return { ...engine, db: engine.patientDb }
}

/** The database refuses a statement because of the values in it, so it refuses every repetition as well. */
export class RefusedStoreError extends Error {
  override readonly name = 'RefusedStoreError'
}
