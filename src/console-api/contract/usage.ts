import type { FeatureName } from '../../core/feature.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import type { TryNote } from '../../core/try-note.ts'
import type { NanoText, Page, TimeMs } from './basics.ts'
import type { FeatureTable } from './models.ts'
import type { AccountName } from './session.ts'

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
  readonly at: TimeMs
  readonly accountId: string
  readonly keyId: string
  readonly keyName: string | null
  readonly model: string | null
  readonly protocol: string
  readonly group: string | null
  readonly isStream: boolean
  readonly status: number
  /** One of `requestReasons`; null when it ended well. */
  readonly reason: string | null
  readonly costNano: NanoText
  /** What its usage comes to beyond that, and was charged to nobody: there was no money. Absent when there is none. */
  readonly uncoveredNano?: NanoText
  readonly firstTokenMs: number | null
  readonly totalMs: number
  /** Null when the request never reached the point of being charged. */
  readonly tokens: TokenCounts | null
}

/**
 * What the log is narrowed to; the same parameters for /usage, /usage/totals, /usage/series and /usage/export.
 * Absent or empty: no restriction. Without `account` all accounts that the user may see.
 */
export interface UsageQuery {
  readonly account?: string
  readonly key?: string
  readonly model?: string
  readonly protocol?: ProtocolName
  readonly group?: string
  /** An HTTP status, `error` for whatever did not end well, or `ok`. */
  readonly status?: string
  readonly stream?: 'true' | 'false'
  /** Times in milliseconds; `to` is not included. */
  readonly from?: string
  readonly to?: string
  /** Nano; both are included. */
  readonly minCost?: NanoText
  readonly maxCost?: NanoText
  /** A request id, or how one begins. */
  readonly request?: string
}

/** GET /usage?…UsageQuery&before= : newest first. */
export interface UsageAnswer extends Page {
  readonly rows: readonly UsageRow[]
}

export interface UsageSums {
  readonly requests: number
  readonly errors: number
  readonly tokens: TokenCounts
  readonly costNano: NanoText
  /** Means over the requests that have such a time; null when none has. */
  readonly firstTokenMs: number | null
  readonly totalMs: number | null
}

/** GET /usage/totals?…UsageQuery */
export interface UsageTotals extends UsageSums {
  /**
   * The time that the sums are of. Without status, stream, cost and request they come from the hourly sums, however
   * many rows there are, and also cover rows that were deleted for their age; with a model given, requests that found no
   * group are not in them. Over all accounts, and no key, status and stream are in sums as well. Otherwise at most
   * 5,000 of the newest rows are looked at, and `isCut` says that older ones were not: then `from` is where the look
   * ended.
   */
  readonly from: TimeMs | null
  readonly to: TimeMs
  readonly isCut: boolean
}

export type SeriesBy = 'model' | 'key' | 'group' | 'protocol' | 'account'
/** `minutes` are five. */
export type SeriesStep = 'minutes' | 'hour' | 'day'

/** One colour of a stacked chart. */
export interface SeriesName {
  /** Empty for requests that found no model or group; `*` for all that are not among the largest. */
  readonly id: string
  /** What people call it. */
  readonly name: string
  readonly sums: UsageSums
}

/** What one name did in one step; steps in which it did nothing are absent. */
export interface SeriesPoint {
  readonly at: TimeMs
  readonly id: string
  readonly requests: number
  readonly errors: number
  readonly tokens: number
  readonly costNano: NanoText
  readonly firstTokenMs: number | null
}

/**
 * GET /usage/series?…UsageQuery&by=&step= : `step` is chosen by the length of the time when it is absent: steps of
 * five minutes for up to two hours, unless there are more than 10,000 requests in them; days are those of UTC. Eight names at most, the dearest first, then `*`. Without `from` the last 30 days. As exact as the
 * totals of the same query. By key or account over all accounts, of a log with very many, the names are the dearest of
 * a sample of 10,000 requests; the figures are still those of all.
 */
export interface UsageSeries {
  readonly by: SeriesBy
  readonly step: SeriesStep
  readonly from: TimeMs
  readonly to: TimeMs
  readonly isCut: boolean
  readonly names: readonly SeriesName[]
  readonly points: readonly SeriesPoint[]
}

/**
 * GET /usage/export?…UsageQuery : text/csv as an attachment, newest first, sent while it is read. The columns are
 * `csvColumns`; amounts in US$ in decimal, times in ISO 8601. The last line is `# incomplete` if it broke off.
 * With `format=ndjson` each line is a `UsageRow` as JSON, and the last one `{"incomplete":true}` if it broke off.
 */
export const csvColumns = [
  'request_id',
  'time',
  'account',
  'key_id',
  'key_name',
  'model',
  'protocol',
  'group',
  'stream',
  'status',
  'reason',
  'cost_usd',
  'input_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'output_tokens',
  'reasoning_tokens',
  'first_token_ms',
  'total_ms',
  'uncovered_usd',
] as const

/** GET /usage/facets?account= : what the filters can be set to, from the last 90 days. */
export interface UsageFacets {
  readonly accounts: readonly AccountName[]
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly accountId: string
  }[]
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly protocols: readonly string[]
}

/** The price a request was admitted under: nano-US-dollars per million tokens, and per request. */
export interface UsagePrice {
  readonly versionId: string
  readonly inputNano: NanoText
  readonly cacheReadNano: NanoText
  readonly cacheWrite5mNano: NanoText
  readonly cacheWrite1hNano: NanoText
  readonly outputNano: NanoText
  readonly requestNano: NanoText
  readonly features: FeatureTable
  /** The step of a long prompt that the token prices here are of; null for the plain prices. */
  readonly longPromptAbove: number | null
  /** The service group's factor in millionths. */
  readonly factorMicro: number
}

/** One try at one upstream, in order. */
export interface UsageAttempt {
  /** Null for members, unless `upstreamsForMembers` is on; so is the note. */
  readonly upstream: string | null
  /** Which credential, masked; null when there was none, and for everyone but administrators. */
  readonly credential: string | null
  readonly status: number | null
  /** Why it did not succeed, one of `requestReasons`; null for the one that did. */
  readonly reason: string | null
  /** Why this one was chosen, what was changed for it, what it answered; from before version 0.2 a text. */
  readonly note: TryNote | string | null
  readonly firstByteMs: number | null
  readonly totalMs: number
}

/** GET /usage/{id}: the whole story of one request. */
export interface UsageStory extends UsageRow {
  readonly accountName: string
  readonly keyHint: string | null
  readonly price: UsagePrice | null
  /** What was used beyond plain tokens: calls, tokens of the kind, or 1 for a factor that applied. */
  readonly features: { readonly [feature in FeatureName]?: number }
  /** One of `usageSources`. */
  readonly usageSource: string | null
  /** Of `chargeFlags`. */
  readonly flags: readonly string[]
  readonly clientAddress: string
  /** The upstream that answered; null for members, as its request id, unless `upstreamsForMembers` is on. */
  readonly upstream: string | null
  readonly clientRequestId: string | null
  readonly upstreamRequestId: string | null
  /** See `warningEndings`. */
  readonly warnings: readonly string[]
  /** A request that succeeded at the first try has that one, made from its row. */
  readonly attempts: readonly UsageAttempt[]
}
