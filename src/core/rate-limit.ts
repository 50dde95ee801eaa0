/** The rate limits of a resource, such as a key. Null: none. */
export interface LimitValues {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly concurrentRequests: number | null
}

/** Undefined without any limit, so that the request path has nothing to look at. */
export function limitsOrNone(values: LimitValues): LimitValues | undefined {
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = values
  const isNone =
    requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null
  return isNone ? undefined : { requestsPerMinute, tokensPerMinute, concurrentRequests }
}

export type LimitKind = 'requests' | 'tokens' | 'concurrent'

/** The limit that refused a request. */
export interface ReachedLimit {
  /** Such as `key.requests_per_minute`. */
  readonly name: string
  readonly kind: LimitKind
  readonly value: number
}

/** How much is left of a rate, and when all of it is available again. */
export interface RateLevel {
  readonly limit: number
  readonly remaining: number
  readonly fullInMs: number
}

/** The tightest levels that apply to a request. */
export interface RateLevels {
  readonly requests?: RateLevel | undefined
  readonly tokens?: RateLevel | undefined
}
