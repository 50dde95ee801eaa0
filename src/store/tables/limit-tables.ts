/** The rate limits of a resource. Null: no limit. */
export interface LimitColumns {
  requests_per_minute: number | null
  tokens_per_minute: number | null
  concurrent_requests: number | null
}

/** The demand of each replica for a rate limit, while no server counts for all replicas. */
export interface RateDemandTable {
  replica: string
  /** The kind of the limit and its owner. */
  name: string
  demand: number
  /** The demand that was announced before. */
  earlier: number
  changed_at: number
  seen_at: number
}
