import type { Kysely } from 'kysely'
import { DependencyUnavailable } from '../core/fault.ts'
import type { EngineKind } from '../core/network/engine-kind.ts'
import type { Snapshot } from './engine/snapshot.ts'
import type { Tables } from './tables/tables.ts'
import type { Shape } from './units/shape.ts'
import type { SqlStatement } from './units/sql-statement.ts'

/**
 * `unused`: no query yet. `promoted`: the server accepts writes, so its data may differ from that of the primary.
 */
export type ReplicaState = 'unused' | 'used' | 'behind' | 'promoted' | 'unreachable'

/** The result of a statement; null when its condition was not met. */
export interface StatementResult {
  readonly changes: number
  readonly rows: readonly Record<string, unknown>[]
}

export type UnitResult = readonly (StatementResult | null)[]

/** Statements that belong together, and the rows to lock before they run. */
export interface Unit {
  readonly statements: readonly SqlStatement[]
  readonly locks?: RowLocks
}

/** Locks are taken in this order everywhere, so that two processes never deadlock. */
export interface RowLocks {
  readonly leaseIds?: readonly string[]
  readonly keyId?: string
  readonly accountId?: string
  /** The counters of these sets. */
  readonly budgetSets?: readonly string[]
}

export interface Engine {
  readonly kind: EngineKind
  /** How the database is reached, for the operator; absent for the usual way. */
  readonly note?: string | undefined
  readonly db: Kysely<Tables>
  /** Like `db`, over separate connections, for slow queries: no request waits behind them. */
  readonly reportDb: Kysely<Tables>
  /** Like `reportDb`, for usage that may be some seconds behind: on a read replica, if there is one. Only reads. */
  readonly usageDb: Kysely<Tables>
  /** Undefined without a read replica. */
  readonly readReplica?: () => ReplicaState
  /** Like `db`, for work that no request waits for and that may read whole tables: start-up, commands, housekeeping. */
  readonly backgroundDb: Kysely<Tables>
  /** Like `db`, for migrations, which have no time limit. */
  readonly schemaDb: Kysely<Tables>
  /** SQL for the milliseconds since 1970 on the database's clock, the only clock that all processes share. */
  readonly clockSql: string
  /** Runs the units in order in one transaction: all of them or none. */
  runUnits(units: readonly Unit[]): Promise<UnitResult[]>
  /** Registers shapes; their tables must exist. */
  defineShapes(shapes: readonly Shape[]): Promise<void>
  /**
   * Applies records in one transaction. Records of one shape are applied in order, but an engine may apply the shapes
   * one after the other, by name. Each text is a JSON list of records of defined shapes. Applying the same text again
   * must change nothing; the shapes guarantee this.
   */
  applyRecords(texts: readonly string[]): Promise<void>
  /** Reads the database as it is now, while other processes write. For whole tables. */
  readSnapshot<Value>(work: (snapshot: Snapshot) => Promise<Value>): Promise<Value>
  /** Calls back soon after any process on this database has announced a change. The caller polls as well. */
  onNotify(callback: () => void): Promise<void>
  notify(): Promise<void>
  /** For how many milliseconds the database has not answered any query; 0 while it answers. */
  outOfReachMs(): number
  /**
   * Uses another user or password of the same database from now on; absent if it has none. Throws, and changes nothing,
   * if the database does not accept them. Running work ends on its connections, which are then closed.
   */
  changeUrl?(url: string): Promise<void>
  /** Uses another server, user or password for the read replica; absent if there is none. */
  changeReadUrl?(url: string): void
  close(): Promise<void>
}

/**
 * A failure that an immediate retry of the same transaction may cure. Other failures may pass with time, except
 * `RefusedStoreError`.
 */
export class TransientStoreError extends DependencyUnavailable {
  override readonly name: string = 'TransientStoreError'
}

/** The database did not answer in time. A retry may help, but the current caller has waited long enough. */
export class DatabaseTimeout extends TransientStoreError {
  override readonly name = 'DatabaseTimeout'
}

/** The connection has ended, is read-only or cannot be opened. A retry gets a new connection. */
export class ConnectionStale extends TransientStoreError {
  override readonly name = 'ConnectionStale'
}

/** Whether the error of one caller applies to all that wait for the same: none of them needs to ask again. */
export function isSharedFailure(error: unknown): boolean {
  return error instanceof DatabaseTimeout || error instanceof ConnectionStale
}

/** True for a failure that the caller may retry at once. */
export function isWorthRetrying(error: unknown): boolean {
  return error instanceof TransientStoreError && !(error instanceof DatabaseTimeout)
}

/** The engine for work that no request waits for. */
export function forBackgroundWork(engine: Engine): Engine {
  return { ...engine, db: engine.backgroundDb }
}

/** The database refuses a statement because of its values, so a retry fails as well. */
export class RefusedStoreError extends Error {
  override readonly name = 'RefusedStoreError'
}
