import type { TokenUsage } from '../../../core/money/usage.ts'
import { isObject, type JsonObject } from '../../../wire/json.ts'
import { addUp, tokensAt, totalAt } from '../../measure/inclusive-usage.ts'
import {
  addExtra,
  firstCount,
  plainUsage,
  totalWithout,
  type UsageTraits,
} from '../../reply-traits.ts'

/**
 * `usageMetadata` in disjoint buckets. The prompt includes cache reads, the candidates exclude reasoning, and the input
 * of hosted tools is counted beside the prompt. An absent count is zero, but an object without any count (Vertex sends
 * one with every chunk) is not a report. A report that does not add up is read with the most tokens and is marked.
 */
export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const reported = tokensAt(value, traits.input ?? 'promptTokenCount')
  const candidates = tokensAt(value, traits.output ?? 'candidatesTokenCount')
  if (reported === undefined && candidates === undefined) return undefined
  const cacheRead =
    tokensAt(value, 'cachedContentTokenCount') ?? firstCount(value, traits.cacheRead) ?? 0
  const reasoning =
    tokensAt(value, 'thoughtsTokenCount') ?? firstCount(value, traits.reasoning) ?? 0
  const toolUse = tokensAt(value, 'toolUsePromptTokenCount') ?? 0
  const isCacheForced = traits.isCacheBeside !== true && cacheRead > (reported ?? 0)
  const isCacheBeside = traits.isCacheBeside === true || isCacheForced
  const prompt = (reported ?? 0) + (isCacheBeside ? cacheRead : 0) + toolUse
  const isReasoningForced = traits.isReasoningBeside === false && reasoning > (candidates ?? 0)
  const isReasoningBeside = traits.isReasoningBeside !== false || isReasoningForced
  const thoughts = isReasoningBeside ? reasoning : 0
  const completion = (candidates ?? 0) + thoughts
  // A chunk that omits the output reports a sum that cannot be compared with anything.
  const total = candidates === undefined ? undefined : totalAt(value, 'totalTokenCount')
  const whole = addUp(prompt, completion, {
    total: totalWithout(total, prompt + completion, value, traits.extra),
    promptParts: sumOf(value['promptTokensDetails']) + toolUse,
    completionParts: sumOf(value['candidatesTokensDetails']) + thoughts,
  })
  const usage: TokenUsage = {
    input: whole.prompt - cacheRead,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: whole.completion,
    reasoning,
    ...(whole.isDoubtful || isCacheForced || isReasoningForced ? { isDoubtful: true } : {}),
    ...(whole.surplus > 0 ? { surplus: whole.surplus } : {}),
  }
  return addExtra(usage, value, traits.extra)
}

/** The tokens of all modalities. */
function sumOf(details: unknown): number {
  if (!Array.isArray(details)) return 0
  return details.reduce<number>(
    (sum, each) => sum + (isObject(each) ? (tokensAt(each, 'tokenCount') ?? 0) : 0),
    0,
  )
}

export function encodeUsage(usage: TokenUsage): JsonObject {
  const { cacheRead, reasoning, output } = usage
  const prompt = usage.input + cacheRead + usage.cacheWrite5m + usage.cacheWrite1h
  return {
    promptTokenCount: prompt,
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    candidatesTokenCount: output - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: prompt + output,
  }
}
