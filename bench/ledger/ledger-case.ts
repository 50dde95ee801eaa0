/** One thing to measure about the ledger, in a process of its own. */
export type LedgerCase = { readonly folder: string; readonly databaseUrl: string } & (
  | { readonly kind: 'cost'; readonly version: LedgerVersion; readonly keys: number }
  | { readonly kind: 'ship'; readonly keys: number }
  | { readonly kind: 'wait'; readonly durability: 'journal' | 'fsync' }
)

/** Leases and a journal, or one transaction for each hold and one for each settlement. */
export type LedgerVersion = 'leases' | 'simple'

export interface LedgerFigures {
  /** CPU µs a request on the thread that serves requests; what the loop itself takes is not in it. */
  readonly mainMicroseconds: number
  /** The same of all threads. */
  readonly allMicroseconds: number
  readonly requestsPerSecond: number
}

export interface WaitFigures {
  /** What a request waits for before it is forwarded and before its last byte leaves, together. */
  readonly waitMs: number
  /** What a sync of one such line takes on the same disk. */
  readonly syncMs: number
}
