import type { Model } from '../../catalog/catalog-snapshot.ts'

/** For a model without a known context window: as large as any that is generally offered. */
const contextTokensUnknown = 1_048_576

/** The most input tokens that a model can take. This bounds the hold and the usage that an upstream can report. */
export function contextTokensOf({ contextTokens }: Pick<Model, 'contextTokens'>): number {
  return contextTokens ?? contextTokensUnknown
}
