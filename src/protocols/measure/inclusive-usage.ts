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

/** Whether the totals of a report include their details. */
export interface ReportForm {
  /** Cache reads and writes are counted beside the input. Absent: as the protocol documents it. */
  readonly isCacheBeside?: boolean
  /** Reasoning is counted beside the output. Absent: as the protocol documents it. */
  readonly isReasoningBeside?: boolean
  /** chat-completions and responses, for an unknown server: the overall sum shows what is beside the totals. */
  readonly isFormBySum?: boolean
}

/** A report whose totals include their details, as the protocol documents it, unless its form says otherwise. */
export interface InclusiveReport extends ReportSums {
  readonly prompt: number
  readonly completion: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  readonly form: ReportForm
}

/**
 * Converts the report to disjoint buckets. A detail that is larger than its total cannot be part of it and is read as
 * beside it. A report that does not add up is read with the most tokens and is marked, because the upstream charges the
 * operator for what it counted.
 */
export function readInclusive(report: InclusiveReport): TokenUsage {
  const { cacheRead, cacheWrite, reasoning } = report
  const cached = cacheRead + cacheWrite
  const reading = findReading(report, cached)
  const prompt = report.prompt + (reading.cachedBeside ? cached : 0)
  const completion = report.completion + (reading.reasoningBeside ? reasoning : 0)
  const total = totalOf(report, prompt + completion, cached)
  const whole = addUp(prompt, completion, { ...report, total })
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

/** The sum to compare with. A vendor that counts details beside its totals may leave them out of the sum too. */
function totalOf(
  { total, form, reasoning }: InclusiveReport,
  sum: number,
  cached: number,
): number | undefined {
  if (total === undefined || total >= sum) return total
  const beside = form.isCacheBeside === true ? cached : 0
  const thoughts = form.isReasoningBeside === true ? reasoning : 0
  const left = sum - total
  return left === beside || left === thoughts || left === beside + thoughts ? sum : total
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

/** Reads the report in its declared form. Only for an unknown server, the reading that adds up to the total is used. */
function findReading(report: InclusiveReport, cached: number): Reading {
  const { prompt, completion, total, reasoning, promptParts, form } = report
  const { isCacheBeside = false, isReasoningBeside = false, isFormBySum = false } = form
  const isCacheForced =
    !isCacheBeside && (cached > prompt || (promptParts > prompt && promptParts === prompt + cached))
  const isReasoningForced = !isReasoningBeside && reasoning > completion
  const isProven = isFormBySum && total === prompt + completion + reasoning
  const least = {
    cachedBeside: isCacheBeside || isCacheForced,
    reasoningBeside: isReasoningBeside || isReasoningForced,
    isForced: isCacheForced || (isReasoningForced && !isProven),
  }
  if (total === undefined || !isFormBySum) return least
  const sumOf = (way: Reading) =>
    prompt + completion + (way.cachedBeside ? cached : 0) + (way.reasoningBeside ? reasoning : 0)
  if (sumOf(least) === total) return least
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
