import type { TokenUsage } from '../core/usage.ts'
import { countAt, type JsonObject } from '../wire/json.ts'

/** What the totals of a report can be compared with. */
export interface ReportSums {
  /** The sum of all; undefined when the upstream does not tell it. */
  readonly total: number | undefined
  /** What the prompt and the answer consist of, if the details say so; 0 if not. */
  readonly promptParts: number
  readonly completionParts: number
}

/** A report whose totals include their details, by the book. */
export interface InclusiveReport extends ReportSums {
  readonly prompt: number
  readonly completion: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  /** The vendor has said that `completion` lacks reasoning. */
  readonly isReasoningBeside?: boolean | undefined
}

/**
 * The report in disjoint buckets. Vendors also count what they read from the cache, or reasoning, beside the totals;
 * the sum of all, or a detail that is larger than its total, tells that. A report that does not add up in any of these
 * ways is read the way that has the most tokens, and marked: what an upstream has counted, it charges the operator.
 */
export function readInclusive(report: InclusiveReport): TokenUsage {
  const { cacheRead, cacheWrite, reasoning } = report
  const cached = cacheRead + cacheWrite
  const reading = findReading(report, cached)
  const prompt = report.prompt + (reading.cachedBeside ? cached : 0)
  const completion = report.completion + (reading.reasoningBeside ? reasoning : 0)
  const whole = addUp(prompt, completion, report)
  return {
    input: whole.prompt - cached,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output: whole.completion,
    reasoning: Math.min(reasoning, whole.completion),
    ...(whole.isDoubtful || reading.isForced ? { isDoubtful: true } : {}),
    ...(whole.surplus > 0 ? { surplus: whole.surplus } : {}),
  }
}

/** What a report says, in totals, and whether it contradicts itself. */
interface AddedUp {
  readonly prompt: number
  readonly completion: number
  readonly isDoubtful: boolean
  /** What only the sum knows of. */
  readonly surplus: number
}

/**
 * Compares totals with what they consist of and with the sum of all. A sum that confirms the totals outweighs their
 * parts; otherwise the larger counts, and what only the sum knows of is output, which costs more.
 */
export function addUp(
  prompt: number,
  completion: number,
  { total, promptParts, completionParts }: ReportSums,
): AddedUp {
  const isDoubtful = promptParts > prompt || completionParts > completion
  if (total === prompt + completion) return { prompt, completion, isDoubtful, surplus: 0 }
  const input = Math.max(prompt, promptParts)
  const output = Math.max(completion, completionParts)
  if (total === undefined) return { prompt: input, completion: output, isDoubtful, surplus: 0 }
  const surplus = Math.max(0, total - input - output)
  return { prompt: input, completion: output + surplus, isDoubtful: true, surplus }
}

interface Reading {
  readonly cachedBeside: boolean
  readonly reasoningBeside: boolean
  /** Only the size of a detail speaks for it. */
  readonly isForced: boolean
}

/** Of the four ways to count the one that adds up to the total; what cannot be inside a total is beside it anyhow. */
function findReading(report: InclusiveReport, cached: number): Reading {
  const { prompt, completion, total, reasoning, promptParts } = report
  const isCachedBeside =
    cached > prompt || (promptParts > prompt && promptParts === prompt + cached)
  const isReasoningBeside = report.isReasoningBeside === true || reasoning > completion
  const isForced =
    isCachedBeside ||
    (isReasoningBeside &&
      report.isReasoningBeside !== true &&
      total !== prompt + completion + reasoning)
  const least = { cachedBeside: isCachedBeside, reasoningBeside: isReasoningBeside, isForced }
  const sumOf = (way: Reading) =>
    prompt + completion + (way.cachedBeside ? cached : 0) + (way.reasoningBeside ? reasoning : 0)
  if (total === undefined || sumOf(least) === total) return least
  const ways = [
    { ...least, reasoningBeside: true },
    { ...least, cachedBeside: true },
    { ...least, cachedBeside: true, reasoningBeside: true },
  ]
  return ways.find((way) => sumOf(way) === total) ?? least
}

const kinds = ['text_tokens', 'audio_tokens', 'image_tokens', 'video_tokens']

/** The sum of what a total consists of, by kind. */
export function sumOfKinds(details: JsonObject): number {
  let sum = 0
  for (const name of kinds) sum += tokensAt(details, name) ?? 0
  return sum
}

/** No model has ever counted as far, and a sum of a few of these is still exact. */
const tokensMax = 2 ** 48

export function tokensAt(value: JsonObject, name: string): number | undefined {
  const count = countAt(value, name)
  return count === undefined ? undefined : Math.min(count, tokensMax)
}

/** The sum of a report; some servers write a zero where they do not add up. */
export function totalAt(value: JsonObject, name: string): number | undefined {
  const total = tokensAt(value, name)
  return total === 0 ? undefined : total
}
