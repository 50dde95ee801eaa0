import type { FeatureName } from '../money/feature.ts'

/** Limits sent to an upstream for the calls that the upstream makes by itself. The hold covers this many calls. */
export interface CallLimits {
  /** For all tools together, where the protocol counts them together. */
  readonly together?: number | undefined
  /** For each tool of the kind that has no limit of its own. */
  readonly each?: Readonly<Partial<Record<FeatureName, number>>> | undefined
}
