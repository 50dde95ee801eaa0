import type { PoolLimits } from './connect.ts'

/** The limits of each pool of connections. */
export interface PostgresLimits {
  /** What requests wait for: keys, accounts, leases, stored responses; and the changes that are followed. */
  readonly serving: PoolLimits
  /** The console and its exports, which read one page of rows after the other. */
  readonly reports: PoolLimits
  /** The thread that carries settlements: one connection for the shipper, one for recovery. */
  readonly records: PoolLimits
  /** Start-up, commands and housekeeping, which may read whole tables. Migrations have no limit. */
  readonly patient: PoolLimits
}

/**
 * Every wait for Postgres. A server that does not answer, or a connection whose packets are lost, is given up after
 * `statementMs` and `silenceMs`.
 */
export const postgresLimits: PostgresLimits = {
  serving: { connectionsMax: 8, acquireMs: 4_000, statementMs: 4_000 },
  reports: { connectionsMax: 4, acquireMs: 5_000, statementMs: 60_000 },
  records: { connectionsMax: 2, acquireMs: 5_000, statementMs: 30_000 },
  patient: {
    connectionsMax: 2,
    acquireMs: 10_000,
    statementMs: 600_000,
    idleSeconds: 60,
    isPrepared: false,
  },
}

/** The server cancels a statement at its limit. If that is not heard so much later either, the connection is dead. */
export const silenceMs = 1_000
