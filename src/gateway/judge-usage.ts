import { noUsage, type TokenUsage, type UsageSource } from '../core/usage.ts'
import type { ReplyReading } from '../protocols/protocol.ts'

export interface UsageVerdict {
  readonly usage: TokenUsage
  readonly source: UsageSource
  readonly flags: readonly string[]
}

export interface UsageBounds {
  /** The most output that the request could ask for. */
  readonly outputTokensMax: number
  /** What the model can take in. */
  readonly contextTokens: number
  /** Used only when the upstream reports nothing. */
  estimateInput(): number
}

/** Reported usage within the model's limits, or an estimate, and which of them it is. */
export function judgeUsage(reading: ReplyReading, bounds: UsageBounds): UsageVerdict {
  if (!reading.usage) {
    const usage = { ...noUsage, input: bounds.estimateInput(), output: reading.deliveredTokens() }
    return { usage, source: 'estimated', flags: ['estimated'] }
  }
  const clamped = clamp(reading.usage, bounds)
  return clamped === reading.usage
    ? { usage: clamped, source: 'upstream', flags: [] }
    : { usage: clamped, source: 'clamped', flags: ['clamped'] }
}

/** A report that the model cannot have produced is cut down to what it can. */
function clamp(usage: TokenUsage, bounds: UsageBounds): TokenUsage {
  let result = usage
  if (result.output > bounds.outputTokensMax) {
    const output = bounds.outputTokensMax
    result = { ...result, output, reasoning: Math.min(result.reasoning, output) }
  }
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
  const { contextTokens } = bounds
  if (prompt > contextTokens) result = { ...result, ...cutPrompt(usage, contextTokens) }
  return result
}

function cutPrompt(usage: TokenUsage, tokensMax: number): Partial<TokenUsage> {
  let left = tokensMax
  const take = (count: number) => {
    const taken = Math.min(count, left)
    left -= taken
    return taken
  }
  return {
    input: take(usage.input),
    cacheRead: take(usage.cacheRead),
    cacheWrite5m: take(usage.cacheWrite5m),
    cacheWrite1h: take(usage.cacheWrite1h),
  }
}
