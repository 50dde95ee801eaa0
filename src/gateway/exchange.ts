import { type ChargeFlag, cutReasons, type RequestReason } from '../core/codes.ts'
import type { Fault } from '../core/fault.ts'
import { type Nano, smallerOf } from '../core/money/money.ts'
import { costOf } from '../core/money/price.ts'
import { noUsage, type TokenUsage } from '../core/money/usage.ts'
import type { ModelRequest } from '../core/neutral/model-request.ts'
import type { Hold, Progress, Settlement } from '../ledger/ledger.ts'
import type { Permit } from '../limits/limiter.ts'
import type { Protocol, ReplyReading } from '../protocols/protocol.ts'
import type { JsonBody, RequestFacts } from '../protocols/request-facts.ts'
import type { FailedCandidate } from '../routing/find-next.ts'
import type { Plan, PlanParams } from '../routing/plan-params.ts'
import type { Candidate } from '../routing/route-set.ts'
import type { UpstreamSlot } from '../routing/slot-queue.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { Caller } from './admit/authenticate.ts'
import { type InputBound, inputTokensAt } from './admit/bound-input.ts'
import { contextTokensOf } from './admit/context-window.ts'
import type { RequestConversation } from './admit/conversation.ts'
import type { Call } from './call.ts'
import { estimateInputTokens, guessInputTokens } from './charge/estimate-input.ts'
import { withFeatures } from './charge/feature-usage.ts'
import { judgeUsage, type UsageVerdict } from './charge/judge-usage.ts'
import type { HeldMedia } from './forward/held-media.ts'
import { type RequestTrace, usageRecordOf } from './request-trace.ts'

/** A candidate that was not tried, because of the limits of its credential or for lack of money. */
interface SkippedCandidate extends FailedCandidate {
  /** Until the credential can serve the request; undefined for a fallback model that the money does not cover. */
  readonly waitMs: number | undefined
}

/** Everything that forwarding an admitted request needs. */
export interface Exchange {
  readonly call: Call
  readonly caller: Caller
  readonly protocol: Protocol
  readonly body: JsonBody
  readonly facts: RequestFacts
  /** After a wait: what is left of the plan. */
  plan: Plan
  planParams: PlanParams
  readonly conversation: RequestConversation
  /** The bound of the input that the hold is based on. */
  readonly input: InputBound
  readonly hold: Hold
  /** Whether the hold is enough for all candidates, or only for those of the requested model. */
  coversSpares: boolean
  readonly outputTokensMax: number
  readonly trace: RequestTrace
  /** The place of the request in its rate limits; undefined without limits. */
  readonly permit?: Permit | undefined
  /** The place of the running attempt in the limits of its credential; undefined without limits. */
  attemptPermit?: Permit | undefined
  /** The candidates that were left out when their turn came. */
  readonly skipped: SkippedCandidate[]
  /** The slot that an upstream keeps for the request until its attempt begins; only after a wait. */
  slot?: UpstreamSlot | undefined
  /** The client disconnected while the request waited for an upstream. */
  hasLeftQueue?: boolean
  /** Why the request may not be sent any more; only after a wait. */
  refusal?: Fault | undefined
  /** Set when money was short: the request must stay within its hold. */
  readonly constraint?: Constraint | undefined
  /** Set when money was short: the limit for calls of a hosted tool if the client has set none. */
  readonly callsMax?: number | undefined
  /** The id of the earlier response that the client referred to, if the body was completed from it. */
  readonly resumedFrom?: string | undefined
  /** The request in the neutral form. Set when the first upstream of another protocol needs it. */
  neutral?: ModelRequest | undefined
  /** Media fetched for an upstream, kept until one has answered. */
  media?: HeldMedia | undefined
}

/** How a request ended. Without a reading, nothing was delivered and nothing is charged. */
export interface Ending {
  readonly status: number
  readonly reason: RequestReason | undefined
  readonly candidate: Candidate
  readonly reading: ReplyReading | undefined
  /** When the client disconnected, if it did so before the end. */
  readonly leftMs?: number | undefined
  /** Estimates the reasoning that was generated but not shown, for a response whose client disconnected. */
  readonly hiddenTokens?: (() => number) | undefined
}

/** The usage and its full cost, even if the money does not cover the cost. */
export interface Rating extends UsageVerdict {
  readonly costNano: Nano
}

/** The cost of an ending, and its usage row. */
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
    isCut(reason) || verdict.source === 'estimated'
      ? withinMoney(used, candidate, hold.grantedNano)
      : used
  const costNano = costOf(usage, price, group.factorMicro)
  const flags: readonly ChargeFlag[] =
    costNano > hold.grantedNano ? [...verdict.flags, 'overage'] : verdict.flags
  return { usage, source: verdict.source, flags, costNano }
}

function isCut(reason: RequestReason | undefined): boolean {
  return cutReasons.some((each) => each === reason)
}

/**
 * The amount that a running stream would be charged now, within its hold; undefined while there is no output. This runs
 * often during a stream, so it does not read the body to estimate the input.
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

/** The most that the model can have used. */
function boundsOf(exchange: Exchange, { model }: Candidate) {
  const { facts, outputTokensMax } = exchange
  return {
    outputTokensMax: Math.max(outputTokensMax, model.maxOutputTokens * facts.answers),
    contextTokens: contextTokensOf(model),
  }
}

/** Charges at most the hold. The part of the cost above the hold is recorded as uncovered. */
export function chargeOf(
  exchange: Exchange,
  ending: Ending,
  rating: Rating,
  endedMs: number,
): Charge {
  const { call, caller, hold, trace } = exchange
  const { price, group } = ending.candidate
  const costNano = smallerOf(rating.costNano, hold.grantedNano)
  const missing =
    rating.costNano > costNano ? { uncoveredNano: rating.costNano - costNano } : undefined
  const record = usageRecordOf(call, caller, exchange.protocol.name, trace, {
    status: ending.status,
    reason: ending.reason,
    costNano,
    totalMs: (ending.leftMs ?? endedMs) - call.startedMs,
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

/** Limits hidden reasoning to the client's own output limit minus the delivered tokens. */
function hiddenWithin({ facts }: Exchange, { candidate, reading, hiddenTokens }: Ending): number {
  const { maxOutputTokens } = candidate.model
  const limit = Math.min(facts.outputTokensMax ?? maxOutputTokens, maxOutputTokens) * facts.answers
  const room = Math.max(0, limit - (reading?.deliveredTokens() ?? 0))
  return Math.min(hiddenTokens?.() ?? 0, room)
}

/**
 * Limits the usage to what the hold covers, if the response was cut for lack of money or its cost is an estimate. Usage
 * above the hold is not counted, so that usage and cost still match.
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
    return withOutput(largestCount(usage.output, (count) => isCovered(withOutput(count))))
  const withInput = (input: number) => ({ ...bare, input })
  return withInput(largestCount(usage.input, (count) => isCovered(withInput(count))))
}

/** The largest count up to `countMax` that passes the test; 0 when none does. */
function largestCount(countMax: number, passes: (count: number) => boolean): number {
  let low = 0
  let high = countMax
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (passes(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** How a request is kept within its hold. */
export interface Constraint {
  /** The output tokens of one answer that are paid for now. */
  readonly tokensMax: number
  /** `limit`: the upstream gets a limit. `slices`: the hold grows with the answer, which is cut when the money ends. */
  readonly kind: 'limit' | 'slices'
}
