import { type FeaturePrices, featureNames, unitOf } from '../../core/money/feature.ts'
import { formatDollars } from '../../core/money/money.ts'
import type { ChoiceReason } from '../../core/upstreams/attempt-note.ts'
import type { RequestFacts } from '../../protocols/request-facts.ts'
import { isFull } from '../../routing/find-next.ts'
import type { LeftOut } from '../../routing/list-left-out.ts'
import type { Plan } from '../../routing/plan-params.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { priorityOf, type SlotQueue } from '../../routing/slot-queue.ts'
import type { Caller } from '../admit/authenticate.ts'
import type { HoldPreview } from '../admit/preview-hold.ts'
import { longestWaitMs } from '../forward/wait-for-slot.ts'

/** Why a candidate would be tried: the reason, and the requested model if this one is a fallback. */
interface Why {
  readonly why: ChoiceReason
  readonly fallback_from?: string
}

/** One step of a plan for the holder of a key, without the operator's upstreams. */
export function describeStep({ group, model }: Candidate, why: Why): object {
  return { group: group.id, model: model.id, ...why }
}

/**
 * The candidates that a plan leaves out, for the holder of a key: groups by name, and only the number of unusable
 * upstreams.
 */
export function describeLeftOut(leftOut: readonly LeftOut[]): object[] {
  const groups = leftOut.filter((each) => each.upstream === undefined)
  const unusable = leftOut.filter(
    (each) => each.upstream !== undefined && each.code !== 'not_needed',
  )
  const counts = [...Map.groupBy(unusable, (each) => each.group)].map(([group, each]) => ({
    group,
    code: 'unavailable',
    routes: each.length,
    why: 'these routes of the group cannot be used now',
  }))
  return [...groups, ...counts]
}

interface WaitParams {
  readonly queue: SlotQueue | undefined
  readonly isOperator: boolean
  readonly facts: Pick<RequestFacts, 'isStream'>
}

/**
 * The wait while all upstreams of the plan are full: the request waits, or is refused when the queue has no room.
 * Undefined when an upstream could serve it now. Only operators see how many others wait.
 */
export function describeWait(
  { candidates }: Plan,
  { key }: Caller,
  { queue, isOperator, facts }: WaitParams,
): object | undefined {
  if (candidates.length === 0 || !candidates.every(isFull)) return undefined
  return {
    would_wait: queue?.hasRoomFor(key.accountId) ?? false,
    priority: priorityOf(key, candidates),
    seconds_max: queue ? longestWaitMs(facts, candidates, queue) / 1_000 : 0,
    ...(isOperator && { length: queue?.length ?? 0, length_max: queue?.rules.lengthMax ?? 0 }),
  }
}

/** One step of a plan, for operators. */
export function describeCandidate(
  { group, model, route, credential }: Candidate,
  why: Why,
): object {
  return {
    group: group.id,
    model: model.id,
    upstream: route.upstream.id,
    upstream_model: route.upstreamModel,
    credential: credential?.hint ?? null,
    priority: route.priority,
    weight: route.weight,
    ...why,
  }
}

/** The hold: the most that the request can cost at the most expensive candidate. */
export function describeHold(money: HoldPreview): object {
  const { keyNano, constraint } = money
  return {
    dollars: formatDollars(money.amountNano),
    output_tokens_max: money.outputTokensMax,
    ...(money.featuresNano > 0n ? { features: formatDollars(money.featuresNano) } : {}),
    granted: money.refusal === undefined,
    // The account's balance is not shown, because the holder of a key need not be the account's owner.
    key_available: keyNano === undefined ? null : formatDollars(keyNano),
    // Money is short: the answer would be kept within the available money.
    ...(constraint ? { kept_within: constraint.kind } : {}),
  }
}

/** One line for each price that may be charged, in US dollars per million tokens, before the group's factor. */
export function describePrices(candidates: readonly Candidate[]): object[] {
  const lines = new Map<string, object>()
  for (const { group, model, price } of candidates) {
    const key = `${group.id}\n${price.versionId}`
    if (lines.has(key)) continue
    lines.set(key, {
      group: group.id,
      factor: Number(group.factorMicro) / 1_000_000,
      model: model.id,
      price_version: price.versionId,
      input: formatDollars(price.inputNano),
      cache_read: formatDollars(price.cacheReadNano),
      cache_write_5m: formatDollars(price.cacheWrite5mNano),
      cache_write_1h: formatDollars(price.cacheWrite1hNano),
      output: formatDollars(price.outputNano),
      per_request: formatDollars(price.requestNano),
      features: describeFeatures(price.features ?? {}),
    })
  }
  return [...lines.values()]
}

/** US dollars per call or per million tokens of the kind, or a factor. */
function describeFeatures(prices: FeaturePrices): Record<string, string> {
  const described: Record<string, string> = {}
  for (const feature of featureNames) {
    const price = prices[feature]
    if (price === undefined) continue
    const isFactor = unitOf(feature) === 'factor'
    described[feature] = isFactor ? String(Number(price) / 1_000_000) : formatDollars(price)
  }
  return described
}
