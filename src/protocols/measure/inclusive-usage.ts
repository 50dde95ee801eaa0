import type { TokenUsage } from '../../core/money/usage.ts'
import { countAt, type JsonObject } from '../../wire/json.ts'

/** The sums that the totals of a report are compared with. */
export interface ReportSums {
  /** The sum of all tokens; undefined when the upstream does not report it. */
  readonly total: number | undefined
  /** The sum of the prompt's (or the answer's) details; 0 if the report has no details. */
  readonly promptParts: number
  readonly completionParts: number
}

/** A report whose totals include their details, as the protocol documents it. */
export interface InclusiveReport extends ReportSums {
  readonly prompt: number
  readonly completion: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  /** The vendor declares that `completion` excludes reasoning. */
  readonly isReasoningBeside?: boolean | undefined
}

/**
 * Converts the report to disjoint buckets. Some vendors count cache reads or reasoning beside the totals; the overall
 * sum, or a detail that is larger than its total, shows this. A report that does not add up in any known way is read
 * with the most tokens and is marked, because the upstream charges the operator for what it counted.
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

/** The totals of a report, and whether the report contradicts itself. */
interface AddedUp {
  readonly prompt: number
  readonly completion: number
  readonly isDoubtful: boolean
  /** Tokens that only the overall sum includes. */
  readonly surplus: number
}

/**
 * Compares the totals with their parts and with the overall sum. A sum that confirms the totals outweighs the parts;
 * otherwise the larger number counts. Tokens that only the sum includes count as output, which costs more.
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
  /** Only the size of a detail indicates this reading. */
  readonly isForced: boolean
}

/**
 * Picks the one of four readings that adds up to the total. A detail that is larger than its total is always read as
 * beside it.
 */
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

/** The sum of the details of a total, by kind. */
export function sumOfKinds(details: JsonObject): number {
  let sum = 0
  for (const name of kinds) sum += tokensAt(details, name) ?? 0
  return sum
}

/** More tokens than any model counts. A sum of a few such numbers is still an exact integer. */
const tokensMax = 2 ** 48

export function tokensAt(value: JsonObject, name: string): number | undefined {
  const count = countAt(value, name)
  return count === undefined ? undefined : Math.min(count, tokensMax)
}

/** The overall sum of a report. Some servers write zero when they do not compute it. */
export function totalAt(value: JsonObject, name: string): number | undefined {
  const total = tokensAt(value, name)
  return total === 0 ? undefined : total
}
