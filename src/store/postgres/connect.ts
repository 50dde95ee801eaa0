import { SQL } from 'bun'

export interface PostgresServer {
  /** One for each host of the database, of which at most one accepts writes. */
  readonly urls: readonly string[]
  /**
   * False behind a pooler: two transactions of a connection may run in two sessions of the server. Settings, prepared
   * statements and LISTEN belong to a session.
   */
  readonly hasSessions: boolean
}

/** The limits of the connections of one pool. */
export interface PoolLimits {
  readonly connectionsMax: number
  /** How many are opened together with the first one; 1 if not set. */
  readonly connectionsAhead?: number
  /** Limit for getting a connection, whether a free or a new one. */
  readonly acquireMs: number
  /** The longest that the server works on one statement before it cancels the statement itself. */
  readonly statementMs: number
  /** An unused connection is closed after this; undefined keeps it open. */
  readonly idleSeconds?: number
  /** Without prepared statements a statement that is used once takes one round trip instead of two. */
  readonly isPrepared?: boolean
}

/**
 * A setting that no server and no pooler knows. A server takes it for the session; a pooler rejects it or drops it.
 */
export const sessionMark = 'tollgate.session'

/** One connection, which Bun opens at the first query, and again when it is lost. */
export function connect(url: string, hasSessions: boolean, limits: PoolLimits): SQL {
  return new SQL(url, {
    bigint: true,
    max: 1,
    connectionTimeout: Math.ceil(limits.acquireMs / 1_000),
    idleTimeout: limits.idleSeconds ?? 0,
    prepare: hasSessions && (limits.isPrepared ?? true),
    connection: hasSessions ? { ...timeoutsOf(limits), [sessionMark]: 'own' } : {},
  })
}

/** Begins a transaction. Where settings do not stay with a connection, the transaction brings them along. */
export function beginOf(hasSessions: boolean, limits: PoolLimits): string {
  if (hasSessions) return 'BEGIN'
  const settings = Object.entries(timeoutsOf(limits)).map(
    ([name, ms]) => `SET LOCAL ${name} = ${ms}`,
  )
  return ['BEGIN', ...settings].join('; ')
}

/**
 * The server ends a transaction in which nothing happens for this long. Otherwise a gateway that vanished without
 * closing its connection would keep its row locks until the server notices, which can take hours.
 */
const idleInTransactionMs = 15_000

function timeoutsOf({ statementMs }: PoolLimits): Readonly<Record<string, number>> {
  return {
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  }
}
