import type { Clock } from '../core/clock.ts'
import type { ModelRequest } from '../core/model-request.ts'
import type { Nano } from '../core/money.ts'
import { costOf } from '../core/price.ts'
import { noUsage, type TokenUsage } from '../core/usage.ts'
import type { Hold, Settlement } from '../ledger/ledger.ts'
import type { JsonBody, Protocol, ReplyReading, RequestFacts } from '../protocols/protocol.ts'
import type { Plan } from '../routing/plan-question.ts'
import type { Candidate } from '../routing/route-set.ts'
import type { UsageRecord } from '../usage/usage-record.ts'
import type { Caller } from './authenticate.ts'
import type { Call } from './call.ts'
import type { Constraint } from './constraint.ts'
import type { RequestConversation } from './conversation.ts'
import { estimateInputTokens } from './estimate-input.ts'
import type { HeldMedia } from './held-media.ts'
import { judgeUsage } from './judge-usage.ts'
import { type Story, usageRecordOf } from './story.ts'

/** Everything about one admitted request that forwarding it needs. */
export interface Exchange {
  readonly call: Call
  readonly caller: Caller
  readonly protocol: Protocol
  readonly body: JsonBody
  readonly facts: RequestFacts
  readonly plan: Plan
  readonly conversation: RequestConversation
  readonly hold: Hold
  readonly outputTokensMax: number
  readonly story: Story
  /** Money was short: the request must be kept within what was set aside. */
  readonly constraint?: Constraint | undefined
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
  readonly reason: string | undefined
  readonly candidate: Candidate
  readonly reading: ReplyReading | undefined
}

/** What an ending costs, and what the log says about it. */
export interface Charge {
  readonly settlement: Settlement
  readonly record: UsageRecord
}

export function chargeOf(exchange: Exchange, ending: Ending, clock: Clock): Charge {
  const { call, caller, facts, hold, story, body } = exchange
  const { price, group, model } = ending.candidate
  const verdict = ending.reading
    ? judgeUsage(ending.reading, {
        outputTokensMax: Math.max(exchange.outputTokensMax, model.maxOutputTokens * facts.answers),
        contextTokens: model.contextTokens,
        estimateInput: () => estimateInputTokens(body.value),
      })
    : { usage: noUsage, source: 'none' as const, flags: [] }
  const usage =
    ending.reason === 'quota_cut'
      ? withinMoney(verdict.usage, ending.candidate, hold.grantedNano)
      : verdict.usage
  const costNano = ending.reading ? costOf(usage, price, group.factorMicro) : 0n
  const flags = costNano > hold.grantedNano ? [...verdict.flags, 'overage'] : verdict.flags
  const record = usageRecordOf(call, caller, exchange.protocol.name, story, {
    status: ending.status,
    reason: ending.reason,
    costNano,
    totalMs: clock.monotonicMs() - call.startedMs,
  })
  const settlement = {
    costNano,
    usage,
    usageSource: verdict.source,
    priceVersionId: price.versionId,
    factorMicro: group.factorMicro,
    flags,
  }
  return { settlement, record }
}

/**
 * An answer that was cut because the money was gone is charged at most what was set aside for it: what little it
 * went beyond is not counted, so that usage and cost still explain each other.
 */
function withinMoney(
  usage: TokenUsage,
  { price, group }: Candidate,
  grantedNano: Nano,
): TokenUsage {
  const costs = (output: number) =>
    costOf(
      { ...usage, output, reasoning: Math.min(usage.reasoning, output) },
      price,
      group.factorMicro,
    )
  if (costs(usage.output) <= grantedNano) return usage
  let least = 0
  let most = usage.output
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (costs(middle) <= grantedNano) least = middle
    else most = middle - 1
  }
  return { ...usage, output: least, reasoning: Math.min(usage.reasoning, least) }
}
