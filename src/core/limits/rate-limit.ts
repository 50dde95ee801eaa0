/** The rate limits of a resource, such as a key. Null: none. */
export interface LimitValues {
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
  readonly concurrentRequests: number | null
}

/** Some of the rate limits of a resource. */
export type GivenLimitValues = { readonly [Name in keyof LimitValues]?: number | null | undefined }

/**
 * The resources that have rate limits. `key_model`: a key, for one model; `member`: all personal keys of a member in one
 * account; `credential`: the attempts with a credential of an upstream.
 */
export const limitOwners = [
  'key',
  'key_model',
  'member',
  'account',
  'group',
  'model',
  'credential',
] as const
export type LimitOwner = (typeof limitOwners)[number]

/** The limits of one resource. */
export interface OwnedLimits {
  readonly owner: LimitOwner
  /** The resource and its id. All replicas count under this name. */
  readonly name: string
  readonly values: LimitValues
}

/** Undefined without any limit, so that the request path has nothing to check. */
export function ownedLimits(
  owner: LimitOwner,
  id: string,
  { requestsPerMinute, tokensPerMinute, concurrentRequests }: LimitValues,
): OwnedLimits | undefined {
  const isNone =
    requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null
  if (isNone) return undefined
  const values = { requestsPerMinute, tokensPerMinute, concurrentRequests }
  return { owner, name: `${owner}:${id}`, values }
}

/** The id of what belongs to a resource. Ids may contain colons; the first colon here ends the id of the resource. */
export function idWithin(ownerId: string, id: string): string {
  return `${ownerId.replaceAll(':', '%3A')}:${id}`
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

/** A header that tells a client about its limits. */
export interface LimitHeader {
  readonly name: string
  /** Undefined: not sent. */
  valueOf(levels: RateLevels, nowMs: number): number | undefined
  /** Made only if the value has changed. */
  textOf(value: number): string
}

/** The headers of one response about limits. */
export interface LimitHeaders {
  /** The same list in all responses of a protocol, so that the names need not be compared one by one. */
  readonly headers: readonly LimitHeader[]
  readonly levels: RateLevels
}

/** The behaviour while the server that counts rate limits cannot be reached. */
export const limitFallbacks = ['local', 'refuse'] as const
export type LimitFallback = (typeof limitFallbacks)[number]
