import type { FinishReason } from '../core/reply-event.ts'
import type { TokenUsage } from '../core/usage.ts'
import { isObject, type JsonObject } from '../wire/json.ts'
import { tokensAt } from './inclusive-usage.ts'

/**
 * What the replies of one vendor have beyond their protocol. Whoever reads a reply is given it, and looks for nothing
 * that is not named here: money must not rest on a guess. `{}` is the protocol as its own vendor speaks it.
 */
export interface ReplyTraits {
  readonly usage?: UsageTraits
  /** chat-completions: the member with the model's thoughts. Absent: `reasoning_content`, else `reasoning`. */
  readonly thoughtField?: string
  /** chat-completions: reasons to finish, beside those of the protocol. */
  readonly finishWords?: Readonly<Record<string, FinishReason>>
  /** chat-completions: the member of a choice with the stop sequence that was hit. Absent: nobody tells it. */
  readonly stopSequenceField?: string
}

/** How a vendor reports usage. Of several names the first that a report has counts. */
export interface UsageTraits {
  /** chat-completions: where a reply or chunk has its report if `usage` is none, name by name. */
  readonly reportAt?: readonly (readonly string[])[]
  /** chat-completions: the part of the prompt that was read from the cache, where the details do not tell it. */
  readonly cacheRead?: readonly string[]
  /** chat-completions: the part of the prompt that was not. */
  readonly cacheMiss?: string
  /** chat-completions: the part of the answer that is reasoning, where the details do not tell it. */
  readonly reasoning?: readonly string[]
  /** chat-completions: `completion_tokens` lacks reasoning. Absent: the sum of the report tells. */
  readonly isReasoningBeside?: boolean
  /** chat-completions: how many searches the upstream has made by itself. */
  readonly searches?: readonly string[]
  /** What the vendor counts, and bills, beside the totals of the protocol. */
  readonly extra?: ExtraTokens
}

/** The members of a report whose tokens are charged as each of these, all of them. Reasoning is output as well. */
export interface ExtraTokens {
  readonly input?: readonly string[]
  readonly output?: readonly string[]
  readonly reasoning?: readonly string[]
}

/** The protocol and nothing else. */
export const plainReplies: ReplyTraits = {}

/** The value that stands inside an object, name by name. A list is gone into at its first item. */
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

/** The same usage with what the vendor counts beside it. */
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

/** The sum that a report tells, without what the vendor counts beside the totals, should it have put that in. */
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
