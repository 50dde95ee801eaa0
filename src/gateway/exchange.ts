import type { Clock } from '../core/clock.ts'
import type { ChargeFlag, RequestReason } from '../core/codes.ts'
import type { ModelRequest } from '../core/model-request.ts'
import { type Nano, smallerOf } from '../core/money.ts'
import { costOf } from '../core/price.ts'
import { noUsage, type TokenUsage } from '../core/usage.ts'
import type { Hold, Progress, Settlement } from '../ledger/ledger.ts'
import type { JsonBody, Protocol, ReplyReading, RequestFacts } from '../protocols/protocol.ts'
import type { Plan } from '../routing/plan-question.ts'
import type { Candidate } from '../routing/route-set.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { Caller } from './admit/authenticate.ts'
import { type InputBound, inputTokensAt } from './admit/bound-input.ts'
import type { Constraint } from './admit/constraint.ts'
import { contextTokensOf } from './admit/context-window.ts'
import type { RequestConversation } from './admit/conversation.ts'
import type { Call } from './call.ts'
import { estimateInputTokens, guessInputTokens } from './charge/estimate-input.ts'
import { withFeatures } from './charge/feature-usage.ts'
import { judgeUsage, type UsageVerdict } from './charge/judge-usage.ts'
import type { HeldMedia } from './forward/held-media.ts'
import { type RequestTrace, usageRecordOf } from './request-trace.ts'

/** Everything about one admitted request that forwarding it needs. */
export interface Exchange {
  readonly call: Call
  readonly caller: Caller
  readonly protocol: Protocol
  readonly body: JsonBody
  readonly facts: RequestFacts
  readonly plan: Plan
  readonly conversation: RequestConversation
  /** What bounds its input, as it was held for. */
  readonly input: InputBound
  readonly hold: Hold
  readonly outputTokensMax: number
  readonly trace: RequestTrace
  /** Money was short: the request must be kept within what was set aside. */
  readonly constraint?: Constraint | undefined
  /** The same for calls of a hosted tool that the caller has set no limit for. */
  readonly callsMax?: number | undefined
  /** The earlier response that the caller referred to, when the body was made whole from it. */
  readonly resumedFrom?: string | undefined
  /** The request in the neutral form, once an upstream of another protocol has needed it. */
  neutral?: ModelRequest | undefined
  /** Media that were fetched for an upstream, until one has answered. */
  media?: HeldMedia | undefined
}

/** How a request ended. Without a reading nothing was delivered and nothing is charged. */
export interface Ending {
  readonly status: number
  readonly reason: RequestReason | undefined
  readonly candidate: Candidate
  readonly reading: ReplyReading | undefined
  /** When the caller went, if it did not wait for the end. */
  readonly leftMs?: number | undefined
  /** Reasoning that was generated and not shown, for an answer that nobody waited for. */
  readonly hiddenTokens?: (() => number) | undefined
}

/** What was used, and what that comes to, whether or not there is money for it. */
export interface Rating extends UsageVerdict {
  readonly costNano: Nano
}

/** What an ending costs, and what the log says about it. */
export interface Charge {
  readonly settlement: Settlement
  readonly record: UsageRecord
}

export function rateOf(exchange: Exchange, ending: Ending): Rating {
  const { reading, reason, candidate } = ending
  const { facts, hold, input, body } = exchange
  const { price, group } = candidate
  if (!reading) return { usage: noUsage, source: 'none', flags: [], costNano: 0n }
  const verdict = judgeUsage(reading, {
    ...boundsOf(exchange, candidate),
    estimateInput: () => Math.min(estimateInputTokens(body), inputTokensAt(input, candidate)),
    hiddenTokens: ending.hiddenTokens && (() => hiddenWithin(exchange, ending)),
  })
  const used = withFeatures(verdict, reading, facts)
  const usage =
    reason === 'quota_cut' || verdict.source === 'estimated'
      ? withinMoney(used, candidate, hold.grantedNano)
      : used
  const costNano = costOf(usage, price, group.factorMicro)
  const flags: readonly ChargeFlag[] =
    costNano > hold.grantedNano ? [...verdict.flags, 'overage'] : verdict.flags
  return { usage, source: verdict.source, flags, costNano }
}

/**
 * What a stream that is under way would be charged now, within its hold; undefined while that is no output. It is asked
 * for again and again, so its input is not read for an estimate.
 */
export function progressOf(
  exchange: Exchange,
  candidate: Candidate,
  reading: ReplyReading,
): Progress | undefined {
  const { facts, hold, input } = exchange
  const { price, group, model } = candidate
  const verdict = judgeUsage(reading, {
    ...boundsOf(exchange, candidate),
    estimateInput: () => Math.min(guessInputTokens(input), inputTokensAt(input, candidate)),
  })
  const usage = withinMoney(withFeatures(verdict, reading, facts), candidate, hold.grantedNano)
  const costNano = costOf(usage, price, group.factorMicro)
  if (usage.output === 0 || costNano > hold.grantedNano) return undefined
  const factorMicro = Number(group.factorMicro)
  const rated = { model: model.id, groupId: group.id, priceVersionId: price.versionId, factorMicro }
  return { costNano, usage, ...rated }
}

/** What the model can have used. */
function boundsOf(exchange: Exchange, { model }: Candidate) {
  const { facts, outputTokensMax } = exchange
  return {
    outputTokensMax: Math.max(outputTokensMax, model.maxOutputTokens * facts.answers),
    contextTokens: contextTokensOf(model),
  }
}

/** Nobody is charged more than was set aside; what is missing is written down beside it. */
export function chargeOf(exchange: Exchange, ending: Ending, rating: Rating, clock: Clock): Charge {
  const { call, caller, hold, trace } = exchange
  const { price, group } = ending.candidate
  const costNano = smallerOf(rating.costNano, hold.grantedNano)
  const missing =
    rating.costNano > costNano ? { uncoveredNano: rating.costNano - costNano } : undefined
  const record = usageRecordOf(call, caller, exchange.protocol.name, trace, {
    status: ending.status,
    reason: ending.reason,
    costNano,
    totalMs: (ending.leftMs ?? clock.monotonicMs()) - call.startedMs,
  })
  const settlement = {
    costNano,
    ...missing,
    usage: rating.usage,
    usageSource: rating.source,
    priceVersionId: price.versionId,
    factorMicro: group.factorMicro,
    flags: rating.flags,
  }
  return { settlement, record: missing ? { ...record, ...missing } : record }
}

/** No more hidden reasoning than the caller's own limit leaves beside what was received. */
function hiddenWithin({ facts }: Exchange, { candidate, reading, hiddenTokens }: Ending): number {
  const { maxOutputTokens } = candidate.model
  const limit = Math.min(facts.outputTokensMax ?? maxOutputTokens, maxOutputTokens) * facts.answers
  const room = Math.max(0, limit - (reading?.deliveredTokens() ?? 0))
  return Math.min(hiddenTokens?.() ?? 0, room)
}

/**
 * An answer that was cut because the money was gone, and one whose cost is estimated, is charged at most what was set
 * aside for it: what goes beyond is not counted, so that usage and cost still explain each other.
 */
function withinMoney(
  usage: TokenUsage,
  { price, group }: Candidate,
  grantedNano: Nano,
): TokenUsage {
  const isCovered = (part: TokenUsage) => costOf(part, price, group.factorMicro) <= grantedNano
  if (isCovered(usage)) return usage
  const withOutput = (output: number) => {
    return { ...usage, output, reasoning: Math.min(usage.reasoning, output) }
  }
  const bare = withOutput(0)
  if (isCovered(bare))
    return withOutput(most(usage.output, (count) => isCovered(withOutput(count))))
  const withInput = (input: number) => ({ ...bare, input })
  return withInput(most(usage.input, (count) => isCovered(withInput(count))))
}

/** The largest count up to this one that will do; 0 when none will. */
function most(countMax: number, willDo: (count: number) => boolean): number {
  let low = 0
  let high = countMax
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (willDo(middle)) low = middle
    else high = middle - 1
  }
  return low
}
