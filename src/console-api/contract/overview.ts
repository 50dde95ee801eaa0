import { z } from 'zod'
import { overviewPeriods } from './choices.ts'
import { accountName } from './session.ts'
import { list, nanoText, timeMs } from './shapes.ts'
import { usageRow, usageSeries, usageSums } from './usage.ts'

export const accountOverview = z.strictObject({
  ...accountName.shape,
  isSuspended: z.boolean(),
  /** Null for a caller who does not own the account: the other figures are then those of the caller's own keys. */
  availableNano: nanoText.nullable(),
  /** Set aside by the gateway's processes for requests, and not spent yet. */
  heldNano: nanoText.nullable(),
  spentNano: nanoText,
  keyCount: z.number(),
  /** Requests of the last 24 hours, refused ones included. */
  requestCount: z.number(),
})
export type AccountOverview = z.infer<typeof accountOverview>

/** Something whose spending differs from the period before. */
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

/** GET /overview?account=&period=&by= ; 7d and model when they are absent. Periods end now and begin with a whole hour. */
export const overviewAnswer = z.strictObject({
  period: overviewPeriod,
  from: timeMs,
  to: timeMs,
  /** In order of name; 200 at most. */
  accounts: list(accountOverview),
  /** Of all accounts that are asked about and that the caller owns, also beyond those listed; null without any. */
  credit: z
    .strictObject({
      availableNano: nanoText,
      heldNano: nanoText,
      spentNano: nanoText,
    })
    .nullable(),
  now: usageSums,
  /** The same of as long a time just before. */
  before: usageSums,
  series: usageSeries,
  /** What changed: the largest differences by the same `by`, six at most. */
  movers: list(mover),
  /** The newest requests of the period that did not end well, eight at most. */
  failures: list(usageRow),
  /** A model that a key of these accounts can call, for a first example; null when there is none. */
  sampleModel: z.string().nullable(),
  /** Whether there is any key, so that an empty page can say what to do first. */
  hasKeys: z.boolean(),
})
export type OverviewAnswer = z.infer<typeof overviewAnswer>
