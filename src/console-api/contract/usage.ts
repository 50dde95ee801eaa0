import { z } from 'zod'
import { featureNames } from '../../core/feature.ts'
import { choiceReasons, requestChanges, type TryNote } from '../../core/try-note.ts'
import { seriesDimensions, seriesSteps } from './choices.ts'
import { featureTable } from './models.ts'
import { accountName } from './session.ts'
import { list, nanoText, page, timeMs } from './shapes.ts'

export const tokenCounts = z.strictObject({
  input: z.number(),
  cacheRead: z.number(),
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
  output: z.number(),
  /** Part of `output`. */
  reasoning: z.number(),
})
export type TokenCounts = z.infer<typeof tokenCounts>

export const usageRow = z.strictObject({
  requestId: z.string(),
  at: timeMs,
  accountId: z.string(),
  keyId: z.string(),
  keyName: z.string().nullable(),
  model: z.string().nullable(),
  protocol: z.string(),
  group: z.string().nullable(),
  isStream: z.boolean(),
  status: z.number(),
  /** One of `requestReasons`; null when it ended well. */
  reason: z.string().nullable(),
  costNano: nanoText,
  /** What its usage comes to beyond that, and was charged to nobody: there was no money. Absent when there is none. */
  uncoveredNano: nanoText.exactOptional(),
  firstTokenMs: z.number().nullable(),
  totalMs: z.number(),
  /** Null when the request never reached the point of being charged. */
  tokens: tokenCounts.nullable(),
})
export type UsageRow = z.infer<typeof usageRow>

/** GET /usage?…UsageQuery&before= : newest first. */
export const usageAnswer = z.strictObject({
  ...page.shape,
  rows: list(usageRow),
})
export type UsageAnswer = z.infer<typeof usageAnswer>

export const usageSums = z.strictObject({
  requests: z.number(),
  errors: z.number(),
  tokens: tokenCounts,
  costNano: nanoText,
  /** Means over the requests that have such a time; null when none has. */
  firstTokenMs: z.number().nullable(),
  totalMs: z.number().nullable(),
})
export type UsageSums = z.infer<typeof usageSums>

/** GET /usage/totals?…UsageQuery */
export const usageTotals = z.strictObject({
  ...usageSums.shape,
  /**
   * The time that the sums are of. Without status, stream, cost and request they come from the hourly sums, however
   * many rows there are, and also cover rows that were deleted for their age; with a model given, requests that found no
   * group are not in them. Over all accounts, and no key, status and stream are in sums as well. Otherwise at most
   * 5,000 of the newest rows are looked at, and `isCut` says that older ones were not: then `from` is where the look
   * ended.
   */
  from: timeMs.nullable(),
  to: timeMs,
  isCut: z.boolean(),
})
export type UsageTotals = z.infer<typeof usageTotals>

export const seriesBy = z.enum(seriesDimensions)
export type SeriesBy = z.infer<typeof seriesBy>

export const seriesStep = z.enum(seriesSteps)
export type SeriesStep = z.infer<typeof seriesStep>

/** One colour of a stacked chart. */
export const seriesName = z.strictObject({
  /** Empty for requests that found no model or group; `*` for all that are not among the largest. */
  id: z.string(),
  /** What people call it. */
  name: z.string(),
  sums: usageSums,
})
export type SeriesName = z.infer<typeof seriesName>

/** What one name did in one step; steps in which it did nothing are absent. */
export const seriesPoint = z.strictObject({
  at: timeMs,
  id: z.string(),
  requests: z.number(),
  errors: z.number(),
  tokens: z.number(),
  costNano: nanoText,
  firstTokenMs: z.number().nullable(),
})
export type SeriesPoint = z.infer<typeof seriesPoint>

/**
 * GET /usage/series?…UsageQuery&by=&step= : `step` is chosen by the length of the time when it is absent: steps of
 * five minutes for up to two hours, unless there are more than 10,000 requests in them; days are those of UTC. Eight names at most, the dearest first, then `*`. Without `from` the last 30 days. As exact as the
 * totals of the same query. By key or account over all accounts, of a log with very many, the names are the dearest of
 * a sample of 10,000 requests; the figures are still those of all.
 */
export const usageSeries = z.strictObject({
  by: seriesBy,
  step: seriesStep,
  from: timeMs,
  to: timeMs,
  isCut: z.boolean(),
  names: list(seriesName),
  points: list(seriesPoint),
})
export type UsageSeries = z.infer<typeof usageSeries>

/** GET /usage/facets?account= : what the filters can be set to, from the last 90 days. */
export const usageFacets = z.strictObject({
  accounts: list(accountName),
  keys: list(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      accountId: z.string(),
    }),
  ),
  models: list(z.string()),
  groups: list(z.string()),
  protocols: list(z.string()),
})
export type UsageFacets = z.infer<typeof usageFacets>

/** The price a request was admitted under: nano-US-dollars per million tokens, and per request. */
export const usagePrice = z.strictObject({
  versionId: z.string(),
  inputNano: nanoText,
  cacheReadNano: nanoText,
  cacheWrite5mNano: nanoText,
  cacheWrite1hNano: nanoText,
  outputNano: nanoText,
  requestNano: nanoText,
  features: featureTable,
  /** The step of a long prompt that the token prices here are of; null for the plain prices. */
  longPromptAbove: z.number().nullable(),
  /** The service group's factor in millionths. */
  factorMicro: z.number(),
})
export type UsagePrice = z.infer<typeof usagePrice>

/** What is noted about one try at one upstream, besides how it ended. */
const tryNote: z.ZodType<TryNote, TryNote> = z.strictObject({
  reason: z.enum(choiceReasons).exactOptional(),
  retryAfter: z.string().exactOptional(),
  fallbackFrom: z.string().exactOptional(),
  changes: list(
    z.strictObject({
      change: z.enum(requestChanges),
      field: z.string(),
      to: z.string().exactOptional(),
    }),
  ).exactOptional(),
  answered: z.number().exactOptional(),
})

/** One try at one upstream, in order. */
export const usageAttempt = z.strictObject({
  /** Null for members, unless `upstreamsForMembers` is on; so is the note. */
  upstream: z.string().nullable(),
  /** Which credential, masked; null when there was none, and for everyone but administrators. */
  credential: z.string().nullable(),
  status: z.number().nullable(),
  /** Why it did not succeed, one of `requestReasons`; null for the one that did. */
  reason: z.string().nullable(),
  /** Why this one was chosen, what was changed for it, what it answered; from before version 0.2 a text. */
  note: z.union([tryNote, z.string()]).nullable(),
  firstByteMs: z.number().nullable(),
  totalMs: z.number(),
})
export type UsageAttempt = z.infer<typeof usageAttempt>

/** GET /usage/{id}: the whole story of one request. */
export const usageStory = z.strictObject({
  ...usageRow.shape,
  accountName: z.string(),
  keyHint: z.string().nullable(),
  price: usagePrice.nullable(),
  /** What was used beyond plain tokens: calls, tokens of the kind, or 1 for a factor that applied. */
  features: z.partialRecord(z.enum(featureNames), z.number()),
  /** One of `usageSources`. */
  usageSource: z.string().nullable(),
  /** Of `chargeFlags`. */
  flags: list(z.string()),
  clientAddress: z.string(),
  /** The upstream that answered; null for members, as its request id, unless `upstreamsForMembers` is on. */
  upstream: z.string().nullable(),
  clientRequestId: z.string().nullable(),
  upstreamRequestId: z.string().nullable(),
  /** See `warningEndings`. */
  warnings: list(z.string()),
  /** A request that succeeded at the first try has that one, made from its row. */
  attempts: list(usageAttempt),
})
export type UsageStory = z.infer<typeof usageStory>
