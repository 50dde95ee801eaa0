import type { ChoiceReason } from '../core/upstreams/attempt-note.ts'
import { drawRoutes } from './draw-routes.ts'
import { isFull } from './find-next.ts'
import { isPinnedElsewhere } from './is-pinned-elsewhere.ts'
import type { ConversationTarget, Draft, PlanParams } from './plan-params.ts'
import type { Candidate, RouteCandidates, RouteSet } from './route-set.ts'

/** A rate limit may apply to the whole upstream, so after two of its credentials another upstream is tried. */
const credentialsAtOnce = 2

/** Adds the healthy candidates of a group in the order of attempts. */
export function addHealthy(draft: Draft, set: RouteSet, params: PlanParams): void {
  const later: Candidate[] = []
  for (const tier of set.tiers) {
    const options = tier.filter((option) => isUsable(option, params))
    if (options.length === 0) continue
    const sticky = draft.candidates.length === 0 ? findSticky(options, set, params) : undefined
    if (sticky) add(draft, sticky, 'sticky')
    const reason = options.length > 1 ? drawRoutes(options, params.random) : 'priority'
    for (const [index, option] of options.entries()) {
      addRoute(draft, option, params, sticky, index === 0 ? reason : 'weight', later)
    }
  }
  for (const candidate of later) add(draft, candidate, 'credential')
}

/** The credentials take turns. */
function addRoute(
  draft: Draft,
  { candidates }: RouteCandidates,
  params: PlanParams,
  sticky: Candidate | undefined,
  reason: ChoiceReason,
  later: Candidate[],
): void {
  const turn = candidates[0]?.state.load.turn ?? 0
  let added = 0
  for (let index = 0; index < candidates.length; index += 1) {
    const candidate = candidates[(turn + index) % candidates.length]
    if (!candidate || candidate === sticky || isPinnedElsewhere(candidate, params)) continue
    if (!candidate.state.isHealthy(params.monotonicMs, params.accountId)) continue
    if (added === credentialsAtOnce) later.push(candidate)
    else {
      add(draft, candidate, reason)
      added += 1
    }
  }
}

function add(draft: Draft, candidate: Candidate, reason: ChoiceReason): void {
  draft.candidates.push(candidate)
  draft.reasons.push(reason)
}

/**
 * The candidate that answered the conversation last, if it is healthy. Only within the first priority: a conversation
 * that had to move returns with all others when the first priority recovers.
 */
function findSticky(
  options: readonly RouteCandidates[],
  { model }: RouteSet,
  params: PlanParams,
): Candidate | undefined {
  const target = params.conversation?.place(model.id, params.monotonicMs)
  if (!target) return undefined
  for (const { candidates } of options) {
    for (const candidate of candidates) {
      if (isAt(candidate, target) && isCandidateUsable(candidate, params)) return candidate
    }
  }
  return undefined
}

function isAt({ route, credential }: Candidate, target: ConversationTarget): boolean {
  return route.upstream.id === target.upstreamId && credential?.id === target.credentialId
}

function isUsable(option: RouteCandidates, params: PlanParams): boolean {
  for (const candidate of option.candidates) if (isCandidateUsable(candidate, params)) return true
  return false
}

function isCandidateUsable(candidate: Candidate, params: PlanParams): boolean {
  if (isPinnedElsewhere(candidate, params)) return false
  return !isFull(candidate) && candidate.state.isHealthy(params.monotonicMs, params.accountId)
}
