import type { TokenUsage } from '../../../core/money/usage.ts'
import { isObject, type JsonObject, objectAt } from '../../../wire/json.ts'
import { tokensAt, totalAt } from '../../measure/inclusive-usage.ts'
import { LastReport } from '../../measure/last-report.ts'
import {
  addExtra,
  firstCount,
  plainUsage,
  totalWithout,
  type UsageTraits,
  usageIn,
} from '../../reply-traits.ts'

/**
 * Collects the usage of one message. Each report is a snapshot of the whole message. A field of a later report replaces
 * the same field of an earlier one; nothing is added up.
 */
export class UsageReports {
  readonly #traits: UsageTraits
  #merged: Record<string, unknown> | undefined
  #isSplitOld = false
  readonly last = new LastReport()

  constructor(traits: UsageTraits) {
    this.#traits = traits
  }

  /** The usage after this report; undefined if there is none yet. A message without a valid report keeps its last. */
  add(report: unknown): TokenUsage | undefined {
    const usage = this.#merge(report)
    const name = this.#traits.output ?? 'output_tokens'
    const hasOutput = isObject(report) && tokensAt(report, name) !== undefined
    if (hasOutput) this.last.note(usage, false)
    else this.last.noteInput(usage)
    return usage
  }

  /** The same for the report of a message or an event. */
  addFrom(reply: JsonObject): TokenUsage | undefined {
    return usageIn(reply, 'usage', this.#traits, (report) => this.add(report))
  }

  #merge(report: unknown): TokenUsage | undefined {
    if (!isObject(report)) return undefined
    const merged = this.#merged ?? {}
    if ('cache_creation_input_tokens' in report) this.#isSplitOld = !('cache_creation' in report)
    for (const name in report) {
      const field = report[name]
      if (field !== null && field !== undefined) merged[name] = field
    }
    this.#merged = merged
    return decodeUsage(merged, this.#traits, this.#isSplitOld)
  }
}

/**
 * `input_tokens` excludes cache reads and writes. The end of a stream reports the sum of cache writes without its split
 * by lifetime; the split from the beginning then applies as far as it goes. A report that does not add up is read with
 * the most tokens and is marked.
 */
export function decodeUsage(
  value: unknown,
  traits: UsageTraits = plainUsage,
  isSplitOld: boolean = false,
): TokenUsage | undefined {
  if (!isObject(value)) return undefined
  const input = tokensAt(value, traits.input ?? 'input_tokens')
  const reported = tokensAt(value, traits.output ?? 'output_tokens')
  if (input === undefined || reported === undefined) return undefined
  const writes = readWrites(value, isSplitOld)
  const cacheRead =
    tokensAt(value, 'cache_read_input_tokens') ?? firstCount(value, traits.cacheRead) ?? 0
  const details = objectAt(value, 'output_tokens_details') ?? {}
  const reasoning = tokensAt(details, 'thinking_tokens') ?? firstCount(value, traits.reasoning) ?? 0
  const isReasoningForced = traits.isReasoningBeside !== true && reasoning > reported
  const isReasoningBeside = traits.isReasoningBeside === true || isReasoningForced
  const output = isReasoningBeside ? reported + reasoning : reported
  const cached = cacheRead + writes.fiveMinutes + writes.oneHour
  const isCacheInside = traits.isCacheBeside === false && cached <= input
  const isCacheForced = traits.isCacheBeside === false && !isCacheInside
  const fresh = isCacheInside ? input - cached : input
  const sum = fresh + cached + output
  // Not part of this protocol; compatible servers add it.
  const total = totalWithout(totalAt(value, 'total_tokens'), sum, value, traits.extra) ?? sum
  const isWhole = writes.isWhole && !isReasoningForced && !isCacheForced && total === sum
  const usage: TokenUsage = {
    input: fresh,
    cacheRead,
    cacheWrite5m: writes.fiveMinutes,
    cacheWrite1h: writes.oneHour,
    output: output + Math.max(0, total - sum),
    reasoning,
    ...(isWhole ? {} : { isDoubtful: true }),
  }
  return addExtra(usage, value, traits.extra)
}

interface Writes {
  readonly fiveMinutes: number
  readonly oneHour: number
  readonly isWhole: boolean
}

function readWrites(value: JsonObject, isSplitOld: boolean): Writes {
  const split = objectAt(value, 'cache_creation') ?? {}
  const oneHour = tokensAt(split, 'ephemeral_1h_input_tokens') ?? 0
  const fiveMinutes = tokensAt(split, 'ephemeral_5m_input_tokens') ?? 0
  const written = tokensAt(value, 'cache_creation_input_tokens') ?? oneHour + fiveMinutes
  if (isSplitOld) {
    const old = Math.min(oneHour, written)
    return { fiveMinutes: written - old, oneHour: old, isWhole: true }
  }
  const isWhole = oneHour + fiveMinutes <= written
  return { fiveMinutes: Math.max(fiveMinutes, written - oneHour), oneHour, isWhole }
}

export function encodeUsage(usage: TokenUsage): JsonObject {
  const { cacheWrite5m, cacheWrite1h, reasoning } = usage
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: usage.cacheRead,
    ...(cacheWrite5m + cacheWrite1h > 0
      ? {
          cache_creation: {
            ephemeral_5m_input_tokens: cacheWrite5m,
            ephemeral_1h_input_tokens: cacheWrite1h,
          },
        }
      : {}),
    output_tokens: usage.output,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}
