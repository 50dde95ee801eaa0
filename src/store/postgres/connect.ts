import { SQL } from 'bun'

export interface PostgresServer {
  readonly url: string
  /** False behind a pooler that rejects settings in the startup message. */
  readonly takesSettings: boolean
}

/** The limits of the connections of one pool. */
export interface PoolLimits {
  readonly connectionsMax: number
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
 * The server ends a transaction in which nothing happens for this long. Otherwise a gateway that vanished without
 * closing its connection would keep its row locks until the server notices, which can take hours.
 */
const idleInTransactionMs = 15_000

/** A pool of connections. Bun opens none before the first query, and all `connectionsMax` of them at that query. */
export function connect({ url, takesSettings }: PostgresServer, limits: PoolLimits): SQL {
  const settings = {
    statement_timeout: limits.statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  }
  return new SQL(url, {
    bigint: true,
    max: limits.connectionsMax,
    connectionTimeout: Math.ceil(limits.acquireMs / 1_000),
    idleTimeout: limits.idleSeconds ?? 0,
    prepare: limits.isPrepared ?? true,
    connection: takesSettings ? settings : {},
  })
}
