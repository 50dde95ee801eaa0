import type { TokenUsage } from '../core/money/usage.ts'
import type { FinishReason } from '../core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../wire/json.ts'
import { tokensAt } from './measure/inclusive-usage.ts'

/**
 * The fields of one vendor's replies beyond the protocol. Readers of a reply look only for the fields that are named
 * here, because charges must not depend on a guess. `{}` is the protocol as its own vendor speaks it.
 */
export interface ReplyTraits {
  readonly usage?: UsageTraits
  /** chat-completions: the member with the reasoning. Absent: `reasoning_content`, else `reasoning`. */
  readonly reasoningField?: string
  /** chat-completions: finish reasons beyond those of the protocol. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>
  /** chat-completions: the member of a choice with the matched stop sequence. Absent: the vendor does not report it. */
  readonly stopSequenceField?: string
}

/** How a vendor reports usage. Of several names, the first that a report contains counts. */
export interface UsageTraits {
  /** chat-completions: paths to the report in a reply or chunk without a `usage` report. */
  readonly reportAt?: readonly (readonly string[])[]
  /** chat-completions: the cached part of the prompt, if the details do not report it. */
  readonly cacheRead?: readonly string[]
  /** chat-completions: the uncached part of the prompt. */
  readonly cacheMiss?: string
  /** chat-completions: the reasoning part of the answer, if the details do not report it. */
  readonly reasoning?: readonly string[]
  /** chat-completions: `completion_tokens` excludes reasoning. Absent: the sum of the report decides. */
  readonly isReasoningBeside?: boolean
  /** chat-completions: the number of searches that the upstream has made on its own. */
  readonly searches?: readonly string[]
  /** Tokens that the vendor counts and bills beside the totals of the protocol. */
  readonly extra?: ExtraTokens
}

/**
 * The members of a report whose tokens are charged under each of these kinds, all added up. Reasoning is also output.
 */
export interface ExtraTokens {
  readonly input?: readonly string[]
  readonly output?: readonly string[]
  readonly reasoning?: readonly string[]
}

/** The protocol without additions. */
export const plainReplies: ReplyTraits = {}

/** The value at a path inside an object. At a list, the path continues in its first item. */
export function valueIn(value: unknown, names: readonly string[]): unknown {
  let found = value
  for (const name of names) {
    const object: unknown = Array.isArray(found) ? found[0] : found
    if (!isObject(object)) return undefined
    found = object[name]
  }
  return found
}

/** The count under the first of these names that has one. */
export function firstCount(
  report: JsonObject,
  names: readonly string[] | undefined,
): number | undefined {
  if (names === undefined) return undefined
  for (const name of names) {
    const count = tokensAt(report, name)
    if (count !== undefined) return count
  }
  return undefined
}

/** Adds the tokens that the vendor counts beside the usage. */
export function addExtra(
  usage: TokenUsage,
  report: JsonObject,
  extra: ExtraTokens | undefined,
): TokenUsage {
  if (extra === undefined) return usage
  const reasoning = sumAt(report, extra.reasoning)
  return {
    ...usage,
    input: usage.input + sumAt(report, extra.input),
    output: usage.output + sumAt(report, extra.output) + reasoning,
    reasoning: usage.reasoning + reasoning,
  }
}

/** The reported sum without the tokens that the vendor counts beside the totals, if the sum includes them. */
export function totalWithout(
  total: number | undefined,
  sumOfTotals: number,
  report: JsonObject,
  extra: ExtraTokens | undefined,
): number | undefined {
  if (extra === undefined || total === undefined) return total
  const beside =
    sumAt(report, extra.input) + sumAt(report, extra.output) + sumAt(report, extra.reasoning)
  return total === sumOfTotals + beside ? sumOfTotals : total
}

function sumAt(report: JsonObject, names: readonly string[] | undefined): number {
  let sum = 0
  for (const name of names ?? []) sum += tokensAt(report, name) ?? 0
  return sum
}
