import type { NanoText, TimeMs } from './basics.ts'
import type { AccountName } from './session.ts'
import type { SeriesBy, UsageRow, UsageSeries, UsageSums } from './usage.ts'

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

/** Something whose spending differs from the period before. */
export interface Mover {
  readonly id: string
  readonly name: string
  readonly costNano: NanoText
  readonly costBeforeNano: NanoText
  readonly requests: number
  readonly requestsBefore: number
  readonly errors: number
  readonly errorsBefore: number
}

export const overviewPeriods = ['24h', '7d', '30d', '90d'] as const
export type OverviewPeriod = (typeof overviewPeriods)[number]

/** GET /overview?account=&period=&by= ; 7d and model when they are absent. Periods end now and begin with a whole hour. */
export interface OverviewAnswer {
  readonly period: OverviewPeriod
  readonly from: TimeMs
  readonly to: TimeMs
  /** In order of name; 200 at most. */
  readonly accounts: readonly AccountOverview[]
  /** Of all accounts that are asked about, also beyond those listed. */
  readonly credit: {
    readonly availableNano: NanoText
    readonly heldNano: NanoText
    readonly spentNano: NanoText
  }
  readonly now: UsageSums
  /** The same of as long a time just before. */
  readonly before: UsageSums
  readonly series: UsageSeries & { readonly by: SeriesBy }
  /** What changed: the largest differences by the same `by`, six at most. */
  readonly movers: readonly Mover[]
  /** The newest requests of the period that did not end well, eight at most. */
  readonly failures: readonly UsageRow[]
  /** A model that a key of these accounts can call, for a first example; null when there is none. */
  readonly sampleModel: string | null
  /** Whether there is any key, so that an empty page can say what to do first. */
  readonly hasKeys: boolean
}
