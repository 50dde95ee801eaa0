import type { ChargeFlag } from '../../core/codes.ts'
import { noUsage, promptOf, type TokenUsage, type UsageSource } from '../../core/money/usage.ts'
import type { ReplyReading } from '../../protocols/protocol.ts'

export interface UsageVerdict {
  readonly usage: TokenUsage
  readonly source: UsageSource
  readonly flags: readonly ChargeFlag[]
}

export interface UsageBounds {
  /** The most output tokens that the request could ask for. */
  readonly outputTokensMax: number
  /** The model's context window. */
  readonly contextTokens: number
  /** Used only when the upstream reports no input. */
  estimateInput(): number
  /** The most reasoning that was generated but not shown, for a response whose client disconnected. */
  readonly hiddenTokens?: (() => number) | undefined
}

/** Reported usage within the model's limits, or an estimate where the report is missing or impossible. */
export function judgeUsage(reading: ReplyReading, bounds: UsageBounds): UsageVerdict {
  const filled = fillIn(reading, bounds)
  const usage = clamp(filled, bounds)
  // Figures reported before the end of the answer need not add up yet.
  const isDoubtful = filled.isDoubtful === true && reading.isUsageInterim !== true
  const doubt: readonly ChargeFlag[] = isDoubtful ? ['inconsistent'] : []
  if (filled !== reading.usage)
    return { usage, source: 'estimated', flags: ['estimated', ...doubt] }
  return usage === filled
    ? { usage, source: 'upstream', flags: doubt }
    : { usage, source: 'clamped', flags: ['clamped', ...doubt] }
}

/**
 * Completes the report. Every prompt and every text has tokens, so a zero counts as missing, and so does output that is
 * all reasoning beside a text. A report of a partial answer counts for the part that it covers; if more was received,
 * the received tokens count.
 */
function fillIn(reading: ReplyReading, bounds: UsageBounds): TokenUsage {
  const raw = reading.usage ?? noUsage
  // The total in a report of a partial answer runs ahead of its parts.
  const surplus = reading.isUsageInterim === true ? (raw.surplus ?? 0) : 0
  const reported = surplus > 0 ? { ...raw, output: raw.output - surplus } : raw
  const input = promptOf(reported) === 0 ? bounds.estimateInput() : reported.input
  const isPartial = reading.usage === undefined || reading.isUsageInterim === true
  const { output, reasoning } =
    isPartial || lacksText(reading, reported, bounds)
      ? outputOf(reading, reported, bounds)
      : reported
  if (reading.usage && input === raw.input && output === raw.output) return reading.usage
  return { ...reported, input, output, reasoning }
}

/** The report counts no output, or only reasoning, although the answer has other text. An impossible count is clamped. */
function lacksText(
  reading: ReplyReading,
  { output, reasoning }: TokenUsage,
  { outputTokensMax }: UsageBounds,
): boolean {
  if (output === 0) return true
  if (output !== reasoning || output > outputTokensMax) return false
  return reading.deliveredTokens() > (reading.reasoningTokens?.() ?? 0)
}

/** The received output plus the reasoning that was not shown: as reported, otherwise estimated. */
function outputOf(
  reading: ReplyReading,
  reported: TokenUsage,
  bounds: UsageBounds,
): { output: number; reasoning: number } {
  const shown = reading.reasoningTokens?.() ?? 0
  // A model that shows its reasoning hides no other reasoning.
  const estimated = shown > 0 ? 0 : (bounds.hiddenTokens?.() ?? 0)
  const hidden = Math.max(reported.reasoning - shown, estimated, 0)
  const output = Math.max(reported.output, reading.deliveredTokens() + hidden)
  return { output, reasoning: Math.min(Math.max(reported.reasoning, shown + hidden), output) }
}

/** Reduces a report that the model cannot have produced to what the model can produce. */
function clamp(usage: TokenUsage, bounds: UsageBounds): TokenUsage {
  let result = usage
  if (result.output > bounds.outputTokensMax) {
    const output = bounds.outputTokensMax
    result = { ...result, output, reasoning: Math.min(result.reasoning, output) }
  }
  const { contextTokens } = bounds
  if (promptOf(usage) > contextTokens) result = { ...result, ...cutPrompt(usage, contextTokens) }
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
