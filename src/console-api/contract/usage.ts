import { z } from 'zod'
import { featureNames } from '../../core/money/feature.ts'
import {
  type AttemptNote,
  choiceReasons,
  requestChanges,
} from '../../core/upstreams/attempt-note.ts'
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
  /** The email address of the user that the key belongs to now, the id of a deleted user; null for a service key. */
  keyOwner: z.string().nullable(),
  model: z.string().nullable(),
  protocol: z.string(),
  group: z.string().nullable(),
  isStream: z.boolean(),
  status: z.number(),
  /** One of `requestReasons`; null if the request succeeded. */
  reason: z.string().nullable(),
  costNano: nanoText,
  /** The part of the cost that no balance paid, because there was no money. Absent if there is none. */
  uncoveredNano: nanoText.exactOptional(),
  firstTokenMs: z.number().nullable(),
  totalMs: z.number(),
  /** Null if the request was never charged. */
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
  /** Means of the requests that have the value; null if none has. */
  firstTokenMs: z.number().nullable(),
  totalMs: z.number().nullable(),
})
export type UsageSums = z.infer<typeof usageSums>

/** GET /usage/totals?…UsageQuery */
export const usageTotals = z.strictObject({
  ...usageSums.shape,
  /**
   * The period of the sums. Without a filter on status, stream, cost or request id, the sums come from the hourly sums:
   * their time does not depend on the number of rows, and they include rows that were deleted because of their age.
   * With a model, they leave out requests that found no group. Over all accounts and without a key, hourly sums exist
   * for status and stream too. In all other cases at most 5,000 of the newest rows are read; `isCut` tells that older
   * ones were not, and `from` is where reading stopped.
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

/** One series of a stacked chart. */
export const seriesName = z.strictObject({
  /** Empty for requests without a model or group; `*` for everything beyond the largest. */
  id: z.string(),
  /** Display name. */
  name: z.string(),
  sums: usageSums,
})
export type SeriesName = z.infer<typeof seriesName>

/** Figures of one name in one step; steps without requests are absent. */
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
 * GET /usage/series?…UsageQuery&by=&step= : without `step`, the length of the period decides: steps of five minutes for
 * up to two hours, unless there are more than 10,000 requests. Days are in UTC. At most eight names, the most expensive
 * first, then `*`. Without `from`: the last 30 days. As exact as the totals of the same query. By key or account over
 * all accounts of a very large log, the names come from a sample of 10,000 requests; the figures are still exact.
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

/** GET /usage/facets?account= : values for the filters, from the last 90 days. */
export const usageFacets = z.strictObject({
  accounts: list(accountName),
  keys: list(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      accountId: z.string(),
    }),
  ),
  /** The owners of personal keys, also former ones. A deleted user has the id in place of the email. */
  users: list(z.strictObject({ id: z.string(), email: z.string() })),
  models: list(z.string()),
  groups: list(z.string()),
  protocols: list(z.string()),
})
export type UsageFacets = z.infer<typeof usageFacets>

/** The price with which a request was admitted: nano-US-dollars per million tokens, and per request. */
export const usagePrice = z.strictObject({
  versionId: z.string(),
  inputNano: nanoText,
  cacheReadNano: nanoText,
  cacheWrite5mNano: nanoText,
  cacheWrite1hNano: nanoText,
  outputNano: nanoText,
  requestNano: nanoText,
  features: featureTable,
  /** The tier of the token prices for long prompts; null for the base prices. */
  longPromptAbove: z.number().nullable(),
  /** The service group's factor in millionths. */
  factorMicro: z.number(),
})
export type UsagePrice = z.infer<typeof usagePrice>

/** Notes about an attempt besides its result. */
const tryNote: z.ZodType<AttemptNote, AttemptNote> = z.strictObject({
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

/** One attempt. */
export const usageAttempt = z.strictObject({
  /** Null for members unless `upstreamsForMembers` is on; the same holds for the note. */
  upstream: z.string().nullable(),
  /** The masked credential; null without one, and for everyone except administrators. */
  credential: z.string().nullable(),
  status: z.number().nullable(),
  /** Why it failed, one of `requestReasons`; null if it succeeded. */
  reason: z.string().nullable(),
  /**
   * Why this candidate was chosen, what was changed for it, and its response; a text in rows from before version 0.2.
   */
  note: z.union([tryNote, z.string()]).nullable(),
  firstByteMs: z.number().nullable(),
  totalMs: z.number(),
})
export type UsageAttempt = z.infer<typeof usageAttempt>

/** GET /usage/{id}: all details of one request. */
export const usageDetail = z.strictObject({
  ...usageRow.shape,
  accountName: z.string(),
  keyHint: z.string().nullable(),
  price: usagePrice.nullable(),
  /** Used features: calls, tokens of the kind, or 1 for a factor that applied. */
  features: z.partialRecord(z.enum(featureNames), z.number()),
  /** One of `usageSources`. */
  usageSource: z.string().nullable(),
  /** Of `chargeFlags`. */
  flags: list(z.string()),
  /** How long the request waited for a free place at an upstream; null if it did not wait. */
  queuedMs: z.number().nullable(),
  clientAddress: z.string(),
  /** The upstream that responded; null for members, like its request id, unless `upstreamsForMembers` is on. */
  upstream: z.string().nullable(),
  clientRequestId: z.string().nullable(),
  upstreamRequestId: z.string().nullable(),
  /** See `warningEndings`. */
  warnings: list(z.string()),
  /** For a request that succeeded at the first attempt, this attempt is derived from its row. */
  attempts: list(usageAttempt),
})
export type UsageDetail = z.infer<typeof usageDetail>
