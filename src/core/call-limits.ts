import type { FeatureName } from './feature.ts'

/** What an upstream is told about the calls that it makes by itself: money is set aside for that many. */
export interface CallLimits {
  /** Of all tools in one, where the protocol counts them so. */
  readonly together?: number | undefined
  /** Of each tool of the kind that has no limit of its own. */
  readonly each?: Readonly<Partial<Record<FeatureName, number>>> | undefined
}
