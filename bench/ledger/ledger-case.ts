/** One measurement of the ledger, in its own process. */
export type LedgerCase = { readonly folder: string; readonly databaseUrl: string } & (
  | { readonly kind: 'cost'; readonly version: LedgerVersion; readonly keys: number }
  | { readonly kind: 'ship'; readonly keys: number }
  | { readonly kind: 'wait'; readonly durability: 'journal' | 'fsync' }
)

/** Leases and a journal, or one transaction for each hold and one for each settlement. */
export type LedgerVersion = 'leases' | 'simple'

export interface LedgerFigures {
  /** CPU µs per request on the thread that serves requests, without the loop itself. */
  readonly mainMicroseconds: number
  /** The same for all threads. */
  readonly allMicroseconds: number
  readonly requestsPerSecond: number
}

export interface WaitFigures {
  /** The total wait of a request before it is forwarded and before its last byte is sent. */
  readonly waitMs: number
  /** The time of a sync of one such line on the same disk. */
  readonly syncMs: number
}
