import type { FeatureUses } from './feature.ts'

/** Token counts in disjoint buckets: no token is counted in two, so the sum of the products is the price. */
export interface TokenUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  /** Part of `output`, shown separately for display only. */
  readonly reasoning: number
  /** The upstream's figures do not add up, so the reading with the most tokens was used. */
  readonly isDoubtful?: boolean
  /** Output that only the upstream's total includes; part of `output`. */
  readonly surplus?: number
  /** Use of features beyond plain tokens; undefined for a request that asked for none. */
  readonly features?: FeatureUses | undefined
}

/** The source of the figures of a settlement. */
export const usageSources = ['upstream', 'estimated', 'recovered', 'clamped', 'none'] as const
export type UsageSource = (typeof usageSources)[number]

export const noUsage: TokenUsage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
}

/** All tokens of the prompt, cached or not. */
export function promptOf({ input, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h
}
