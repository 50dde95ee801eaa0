import type { FeatureUses } from './feature.ts'

/** Token counts in disjoint buckets: no token is counted in two, so a sum of products is a price. */
export interface TokenUsage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly output: number
  /** Part of `output`, told apart for display only. */
  readonly reasoning: number
  /** The upstream's figures do not add up, and the reading with the most tokens was taken. */
  readonly isDoubtful?: boolean
  /** Output that only the upstream's sum of all knows of; part of `output`. */
  readonly surplus?: number
  /** What was used beyond plain tokens; undefined for a request that asked for nothing of it. */
  readonly features?: FeatureUses | undefined
}

/** Where the figures of a settlement come from. */
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

/** All of the prompt, whatever of it was in a cache. */
export function promptOf({ input, cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h
}
