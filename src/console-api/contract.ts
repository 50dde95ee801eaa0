/*
 * What the console's browser app and its back end say to each other. This is all that the browser may know of
 * the server, so it holds types and a few constants and imports nothing. Amounts are whole nano-US-dollars
 * written as decimal text, because a JSON number cannot hold them exactly; times are milliseconds since 1970.
 */

/** A cross-site form or image cannot send a header of its own, so every change must carry this one. */
export const csrfHeader = 'x-tollgate-console'
export const csrfValue = '1'

export const passwordCharactersMin = 12
export const passwordCharactersMax = 256

export type NanoText = string

export type ConsoleErrorCode =
  | 'invalid_request'
  | 'request_too_large'
  | 'not_signed_in'
  | 'wrong_credentials'
  | 'link_spent'
  | 'cross_site'
  | 'not_allowed'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_many_tries'
  | 'internal_error'

export interface ErrorAnswer {
  readonly error: {
    readonly code: ConsoleErrorCode
    readonly message: string
    readonly requestId: string
  }
}

/** POST /console/api/sign-in */
export interface SignInRequest {
  readonly email: string
  readonly password: string
}

/** POST /console/api/sign-in-link */
export interface SignInLinkRequest {
  readonly token: string
}

/** POST /console/api/password */
export interface SetPasswordRequest {
  readonly password: string
}

export type Role = 'admin' | 'member'

export interface SignedInUser {
  readonly email: string
  readonly role: Role
  readonly hasPassword: boolean
}

export interface AccountName {
  readonly id: string
  readonly name: string
}

/** GET /console/api/session, and the answer to both ways of signing in. */
export interface SessionAnswer {
  /** Null when nobody is signed in. */
  readonly user: SignedInUser | null
  /** The accounts whose keys and usage this user may see, in order of name. */
  readonly accounts: readonly AccountName[]
  readonly csrf: { readonly header: string; readonly value: string }
}

/** The answer to a change that has nothing to tell. */
export interface DoneAnswer {
  readonly isDone: true
}

export interface AccountOverview extends AccountName {
  readonly isSuspended: boolean
  readonly availableNano: NanoText
  /** Set aside by the gateway's processes for requests, and not spent yet. */
  readonly heldNano: NanoText
  readonly spentNano: NanoText
  readonly keyCount: number
  /** Requests of the last 24 hours, refused ones included. */
  readonly requestCount: number
}

/** GET /console/api/overview?account= */
export interface OverviewAnswer {
  readonly accounts: readonly AccountOverview[]
  /** A model that a key of these accounts can call, for a first example; null when there is none. */
  readonly sampleModel: string | null
}

export type KeyState = 'active' | 'disabled' | 'expired' | 'exhausted'

/** A key as lists show it; the value itself is never in a list. */
export interface KeyRow {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly state: KeyState
  readonly hint: string
  /** One entry is a fixed group, several are the automatic order. */
  readonly groups: readonly string[]
  /** Null means no restriction; an empty list allows no model. */
  readonly models: readonly string[] | null
  readonly addresses: readonly string[] | null
  readonly quotaNano: NanoText | null
  readonly spentNano: NanoText
  readonly expiresAt: number | null
}

/** GET /console/api/keys?account=&after= */
export interface KeysAnswer {
  readonly keys: readonly KeyRow[]
  /** The value of `after` that asks for the next page; null on the last. */
  readonly next: string | null
}

export interface TokenCounts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  /** Part of `output`. */
  readonly reasoning: number
}

export interface UsageRow {
  readonly requestId: string
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly keyName: string | null
  readonly model: string | null
  readonly protocol: string
  readonly group: string | null
  readonly isStream: boolean
  readonly status: number
  readonly reason: string | null
  readonly costNano: NanoText
  readonly firstTokenMs: number | null
  readonly totalMs: number
  /** Null when the request never reached the point of being charged. */
  readonly tokens: TokenCounts | null
}

/**
 * GET /console/api/usage?account=&key=&model=&protocol=&group=&status=&from=&to=&before=
 *
 * `status` is an HTTP status or `error`, `from` and `to` are times.
 */
export interface UsageAnswer {
  readonly rows: readonly UsageRow[]
  /** The value of `before` that asks for the next page; null on the last. Only that: a page may be short before. */
  readonly next: string | null
}

/** The price a request was admitted under: nano-US-dollars per million tokens, and per request. */
export interface UsagePrice {
  readonly inputNano: NanoText
  readonly cacheReadNano: NanoText
  readonly cacheWrite5mNano: NanoText
  readonly cacheWrite1hNano: NanoText
  readonly outputNano: NanoText
  readonly requestNano: NanoText
  /** The service group's factor in millionths. */
  readonly factorMicro: number
}

export interface UsageAttempt {
  readonly upstream: string
  readonly status: number | null
  readonly reason: string | null
  readonly firstByteMs: number | null
  readonly totalMs: number
}

/** GET /console/api/usage/{id}: the whole story of one request. */
export interface UsageStory extends UsageRow {
  readonly price: UsagePrice | null
  /** Where the token figures come from: upstream, estimated, recovered, clamped or none. */
  readonly usageSource: string | null
  readonly clientAddress: string
  /** The upstream that answered, or was tried last. */
  readonly upstream: string | null
  readonly clientRequestId: string | null
  readonly upstreamRequestId: string | null
  readonly warnings: readonly string[]
  readonly attempts: readonly UsageAttempt[]
}
