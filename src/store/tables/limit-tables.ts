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

/** What all processes together have used of the small rate limits of one owner. */
export interface RateCountTable {
  name: string
  /** How long it took at `counted_at` until all of each rate was available again. */
  requests_left_ms: number
  tokens_left_ms: number
  /** The running requests by process, and until when they count without a repetition: `name:2:1700000000000 …`. */
  places: string
  counted_at: number
}
