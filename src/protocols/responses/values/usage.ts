import type { TokenUsage } from '../../../core/money/usage.ts'
import { isObject, objectAt } from '../../../wire/json.ts'
import { readInclusive, sumOfKinds, tokensAt, totalAt } from '../../measure/inclusive-usage.ts'
import {
  addExtra,
  firstCount,
  plainUsage,
  totalWithout,
  type UsageTraits,
} from '../../reply-traits.ts'

/**
 * A usage object in disjoint buckets: `input_tokens` includes cache reads and writes, `output_tokens` includes
 * reasoning. An object without both totals is not a report.
 */
export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const input = tokensAt(value, traits.input ?? 'input_tokens')
  const output = tokensAt(value, traits.output ?? 'output_tokens')
  if (input === undefined || output === undefined) return undefined
  const inputDetails = objectAt(value, 'input_tokens_details') ?? {}
  const outputDetails = objectAt(value, 'output_tokens_details') ?? {}
  const { extra } = traits
  const usage = readInclusive({
    prompt: input,
    completion: output,
    total: totalWithout(totalAt(value, 'total_tokens'), input + output, value, extra),
    cacheRead: tokensAt(inputDetails, 'cached_tokens') ?? firstCount(value, traits.cacheRead) ?? 0,
    cacheWrite: tokensAt(inputDetails, 'cache_write_tokens') ?? 0,
    reasoning:
      tokensAt(outputDetails, 'reasoning_tokens') ?? firstCount(value, traits.reasoning) ?? 0,
    form: traits,
    promptParts: sumOfKinds(inputDetails),
    completionParts: sumOfKinds(outputDetails),
  })
  return addExtra(usage, value, extra)
}

/** Clients read the details without checking for them, so the details are always present. */
export function encodeUsage(usage: TokenUsage): string {
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h
  const input = usage.input + usage.cacheRead + cacheWrite
  return JSON.stringify({
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + usage.output,
  })
}
