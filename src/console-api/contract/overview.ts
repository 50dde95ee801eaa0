import { z } from 'zod'
import { overviewPeriods } from './choices.ts'
import { accountName } from './session.ts'
import { list, nanoText, timeMs } from './shapes.ts'
import { usageRow, usageSeries, usageSums } from './usage.ts'

export const accountOverview = z.strictObject({
  ...accountName.shape,
  isSuspended: z.boolean(),
  /** Null if the caller does not own the account: the other figures are then those of the caller's own keys. */
  availableNano: nanoText.nullable(),
  /** Reserved by replicas for requests, and not spent yet. */
  heldNano: nanoText.nullable(),
  spentNano: nanoText,
  keyCount: z.number(),
  /** Requests of the last 24 hours, including refused ones. */
  requestCount: z.number(),
})
export type AccountOverview = z.infer<typeof accountOverview>

/** A name whose cost changed since the previous period. */
export const mover = z.strictObject({
  id: z.string(),
  name: z.string(),
  costNano: nanoText,
  costBeforeNano: nanoText,
  requests: z.number(),
  requestsBefore: z.number(),
  errors: z.number(),
  errorsBefore: z.number(),
})
export type Mover = z.infer<typeof mover>

export const overviewPeriod = z.enum(overviewPeriods)
export type OverviewPeriod = z.infer<typeof overviewPeriod>

/** GET /overview?account=&period=&by= ; the defaults are 7d and model. Periods end now and start at a full hour. */
export const overviewAnswer = z.strictObject({
  period: overviewPeriod,
  from: timeMs,
  to: timeMs,
  /** Sorted by name, at most 200. */
  accounts: list(accountOverview),
  /** Of all accounts in scope that the caller owns, including those not listed; null without any. */
  credit: z
    .strictObject({
      availableNano: nanoText,
      heldNano: nanoText,
      spentNano: nanoText,
    })
    .nullable(),
  now: usageSums,
  /** The same for the previous period of equal length. */
  before: usageSums,
  series: usageSeries,
  /** The largest changes by the same `by`, at most six. */
  movers: list(mover),
  /** The newest failed requests of the period, at most eight. */
  failures: list(usageRow),
  /** A model that a key of these accounts can call, for an example; null if there is none. */
  sampleModel: z.string().nullable(),
  /** Whether there is any key, so that an empty page can tell what to do first. */
  hasKeys: z.boolean(),
})
export type OverviewAnswer = z.infer<typeof overviewAnswer>
