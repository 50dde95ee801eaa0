import type { TokenUsage } from '../../core/money/usage.ts'
import { isObject, objectAt } from '../../wire/json.ts'
import { readInclusive, sumOfKinds, tokensAt, totalAt } from '../measure/inclusive-usage.ts'
import { addExtra, firstCount, totalWithout, type UsageTraits } from '../reply-traits.ts'

/** The names by which one of OpenAI's protocols reports the same counts. */
export interface UsageNames {
  readonly input: string
  readonly output: string
  readonly inputDetails: string
  readonly outputDetails: string
}

/**
 * A usage object in disjoint buckets. The input includes cache reads and writes, the output includes reasoning. An
 * object without both totals is not a report. The vendor's traits name any other fields.
 */
export function decodeOpenAiUsage(
  value: unknown,
  names: UsageNames,
  traits: UsageTraits,
): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const prompt = tokensAt(value, traits.input ?? names.input)
  const completion = tokensAt(value, traits.output ?? names.output)
  if (prompt === undefined || completion === undefined) return undefined
  const promptDetails = objectAt(value, names.inputDetails) ?? {}
  const completionDetails = objectAt(value, names.outputDetails) ?? {}
  const { cacheMiss, extra } = traits
  const missed = cacheMiss === undefined ? undefined : tokensAt(value, cacheMiss)
  const cacheRead =
    tokensAt(promptDetails, 'cached_tokens') ?? firstCount(value, traits.cacheRead) ?? 0
  const usage = readInclusive({
    prompt,
    completion,
    total: totalWithout(totalAt(value, 'total_tokens'), prompt + completion, value, extra),
    cacheRead,
    cacheWrite: tokensAt(promptDetails, 'cache_write_tokens') ?? 0,
    reasoning:
      tokensAt(completionDetails, 'reasoning_tokens') ?? firstCount(value, traits.reasoning) ?? 0,
    form: traits,
    promptParts: missed === undefined ? sumOfKinds(promptDetails) : cacheRead + missed,
    completionParts: sumOfKinds(completionDetails),
  })
  return addExtra(usage, value, extra)
}
