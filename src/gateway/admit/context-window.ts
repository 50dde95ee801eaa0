import type { Model } from '../../catalog/catalog-snapshot.ts'

/** For a model whose window nobody has told: as large as any that is generally offered. */
const contextTokensUnknown = 1_048_576

/** The most input that a model can take: it bounds what a request is held for, and what an upstream's report is believed. */
export function contextTokensOf({ contextTokens }: Pick<Model, 'contextTokens'>): number {
  return contextTokens ?? contextTokensUnknown
}
