import type { PoolLimits } from './connect.ts'

/** The limits of each pool of connections. */
export interface PostgresLimits {
  /** For requests: keys, accounts, leases, stored responses, and following changes. */
  readonly serving: PoolLimits
  /** For the console and its exports, which read one page of rows after the other. */
  readonly reports: PoolLimits
  /** For the thread that ships settlements: one connection for the shipper, one for recovery. */
  readonly records: PoolLimits
  /** For start-up, commands and housekeeping, which may read whole tables. Migrations have no limit. */
  readonly background: PoolLimits
}

/**
 * Every wait for Postgres is bounded. A silent server, or a connection whose packets are lost, is given up after
 * `statementMs` and `silenceMs`.
 */
export const postgresLimits: PostgresLimits = {
  serving: { connectionsMax: 8, connectionsAhead: 5, acquireMs: 4_000, statementMs: 4_000 },
  reports: { connectionsMax: 4, acquireMs: 5_000, statementMs: 60_000 },
  records: { connectionsMax: 2, acquireMs: 5_000, statementMs: 30_000 },
  background: {
    connectionsMax: 2,
    connectionsAhead: 2,
    acquireMs: 10_000,
    statementMs: 600_000,
    idleSeconds: 60,
    isPrepared: false,
  },
}

/**
 * The server cancels a statement at its limit. If no answer arrives within this additional time, the connection is
 * dead.
 */
export const silenceMs = 1_000

/** The time that open statements have to finish when connections are closed. */
export const closeSeconds = 5
