import type { TokenUsage } from '../core/money/usage.ts'
import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import type { FinishReason } from '../core/neutral/reply-event.ts'
import { isObject, type JsonObject } from '../wire/json.ts'
import { type ReportForm, tokensAt } from './measure/inclusive-usage.ts'

/**
 * The fields of one vendor's replies beyond the protocol. Readers of a reply look only for the fields that are named
 * here, because charges must not depend on a guess. `{}` is the protocol as its own vendor speaks it.
 */
export interface ReplyTraits {
  /** How the vendor reports usage. */
  readonly usage?: UsageTraits
  /** The same for one protocol, in place of `usage`. */
  readonly usageBy?: Readonly<Partial<Record<ProtocolName, UsageTraits>>>
  readonly stream?: StreamTraits
  /** chat-completions: the member with the reasoning. Absent: `reasoning_content`, else `reasoning`. */
  readonly reasoningField?: string
  /** chat-completions: finish reasons beyond those of the protocol. */
  readonly finishReasons?: Readonly<Record<string, FinishReason>>
  /** chat-completions: the member of a choice with the matched stop sequence. Absent: the vendor does not report it. */
  readonly stopSequenceField?: string
}

/** How a vendor ends its streams, where the end differs from that of the protocol. */
export interface StreamTraits {
  /**
   * A connection that closes without an error ends the answer, even without a finish reason or a last event. The
   * responses protocol always needs its last event, which contains the whole response.
   */
  readonly endsAtClose?: boolean
  /** chat-completions: usage follows `[DONE]`, which the client then gets after the usage. */
  readonly reportsAfterEnd?: boolean
}

/** How a vendor reports usage. Of several names, the first that a report contains counts. */
export interface UsageTraits extends ReportForm {
  /** Paths to the report in a reply or event without a report at the protocol's own place. */
  readonly reportAt?: readonly (readonly string[])[]
  /** The members with the two totals, in place of the protocol's own. */
  readonly input?: string
  readonly output?: string
  /** The cached part of the prompt, if the protocol's own member does not report it. */
  readonly cacheRead?: readonly string[]
  /** chat-completions: the uncached part of the prompt. */
  readonly cacheMiss?: string
  /** The reasoning part of the answer, if the protocol's own member does not report it. */
  readonly reasoning?: readonly string[]
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
export const plainUsage: UsageTraits = {}

/** How the vendor reports usage in this protocol. */
export function usageTraitsIn(
  { usage = plainUsage, usageBy }: ReplyTraits,
  protocol: ProtocolName,
): UsageTraits {
  return usageBy?.[protocol] ?? usage
}

/** Reads the report under this name of a reply or event; if there is none, at the places that the vendor uses. */
export function usageIn<Found>(
  reply: JsonObject,
  name: string,
  traits: UsageTraits,
  decode: (report: unknown, traits: UsageTraits) => Found | undefined,
): Found | undefined {
  const own = decode(reply[name], traits)
  if (own !== undefined || traits.reportAt === undefined) return own
  for (const names of traits.reportAt) {
    const found = decode(valueIn(reply, names), traits)
    if (found !== undefined) return found
  }
  return undefined
}

/** The value at a path inside an object. At a list, the path continues in its first item. */
function valueIn(value: unknown, names: readonly string[]): unknown {
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

/** The tokens beside the totals, in any of the vendor's protocols. */
export function listExtras({ usage, usageBy }: ReplyTraits): readonly ExtraTokens[] {
  if (usageBy === undefined) return usage?.extra === undefined ? none : [usage.extra]
  return [usage, ...Object.values(usageBy)].flatMap((each) => each?.extra ?? none)
}

const none: readonly ExtraTokens[] = []

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
