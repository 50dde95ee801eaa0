import type { TokenCounts } from '../../../src/console-api/contract.ts'

/** All input tokens, cached or not. */
export function inputTokens(tokens: TokenCounts): number {
  return tokens.input + tokens.cacheRead + tokens.cacheWrite5m + tokens.cacheWrite1h
}
