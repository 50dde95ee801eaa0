import type { Fault } from '../../core/fault.ts'
import type { AttemptChoice, ChoiceReason } from '../../core/upstreams/attempt-note.ts'
import { findNext, findUnspent, isFull } from '../../routing/find-next.ts'
import { withoutSpares } from '../../routing/plan.ts'
import type { Plan } from '../../routing/plan-params.ts'
import { backOffMs, retryRules } from '../../routing/retry-rules.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from './attempt.ts'
import { checkAgain } from './check-again.ts'
import { coverSpares } from './cover-spares.ts'
import { takeCredential } from './take-credential.ts'
import { isRetryable } from './upstream-fault.ts'
import { waitForSlot } from './wait-for-slot.ts'

/** The next candidate to try, and why. */
export interface NextAttempt {
  readonly candidate: Candidate
  /** Undefined when there was no choice. */
  readonly why: AttemptChoice | undefined
  /** After a kept connection was closed, the retry uses a new one. */
  readonly isFresh: boolean
}

/** Undefined when no candidate can take the request: all are full, or the limits of their credentials are used up. */
export function firstAttempt(
  exchange: Exchange,
  deps: ForwardDeps,
): NextAttempt | undefined | Promise<NextAttempt | undefined> {
  const next = chooseFirst(exchange, deps)
  if (!next) return undefined
  const taken = takeCandidate(exchange, next.candidate, deps)
  if (taken === true) return next
  if (taken === false) return firstAttempt(exchange, deps)
  return taken.then((isTaken) => (isTaken ? next : firstAttempt(exchange, deps)))
}

/** False if the candidate must be left out: for lack of money, or because of the limits of its credential. */
function takeCandidate(
  exchange: Exchange,
  candidate: Candidate,
  deps: ForwardDeps,
): boolean | Promise<boolean> {
  const covered = coverSpares(exchange, candidate)
  if (typeof covered === 'boolean') return covered && takeCredential(exchange, candidate, deps)
  return covered.then((isCovered) => isCovered && takeCredential(exchange, candidate, deps))
}

function chooseFirst(exchange: Exchange, deps: ForwardDeps): NextAttempt | undefined {
  const { plan, caller, skipped } = exchange
  const { candidates, reasons } = plan
  const only = candidates[0]
  if (candidates.length === 1 && only) {
    if (isFull(only) || skipped.length > 0) return undefined
    const reason = reasons[0] === 'only' ? undefined : reasons[0]
    return { candidate: only, why: choiceOf(exchange, only, reason), isFresh: false }
  }
  const index = findNext(candidates, skipped, deps.clock.monotonicMs(), caller.account.id)
  const candidate = candidates[index]
  return (
    candidate && {
      candidate,
      why: choiceOf(exchange, candidate, reasons[index]),
      isFresh: false,
    }
  )
}

/**
 * The candidate to try after a failure: another one, or the same one on a new connection if a kept connection was
 * closed. The retry follows a short random wait and needs retry budget. If no other candidate is left, an upstream that
 * asked for a short wait is tried again.
 */
export async function nextAttempt(
  exchange: Exchange,
  failed: readonly Attempt[],
  fault: Fault,
  deps: ForwardDeps,
  onTick?: (nowMs: number) => void,
): Promise<NextAttempt | undefined> {
  const last = failed[failed.length - 1]
  if (!last || last.hasLeft || !isRetryable(fault)) return undefined
  if (failed.length > retryRules.retriesMax) return undefined
  // The attempt may have taken minutes.
  if (!(await checkAgain(exchange, deps))) return undefined
  const { call, caller, facts } = exchange
  const hasFailed = failed.some(({ candidate }) => candidate.model.id === facts.model)
  if (hasFailed) exchange.plan = withoutSpares(exchange.plan, facts.model)
  const { plan } = exchange
  const { budget, random } = deps.routing
  const nowMs = deps.clock.monotonicMs()
  const index = findNext(
    plan.candidates,
    [...exchange.skipped, ...failed],
    nowMs,
    caller.account.id,
  )
  const waitMs = index < 0 ? waitFor(last, plan) : 0
  const retryAfter = String(last.upstreamStatus ?? last.reasonFor(fault))
  const queued = () => queuedAttempt({ exchange, failed, deps, retryAfter, onTick })
  if (waitMs === undefined && !mayQueue(exchange, failed, deps)) return undefined
  const candidate = plan.candidates[index] ?? last.candidate
  const why = { ...choiceOf(exchange, candidate, plan.reasons[index] ?? 'only'), retryAfter }
  const next = { candidate, why, isFresh: failed.some(isStale) }
  // A request that cannot be translated for an upstream was never sent, so the next attempt is not a retry.
  if (fault.details.isUntranslatable === true)
    return waitMs === undefined ? queued() : taking(exchange, failed, next, deps)
  if (!budget.take(nowMs)) {
    deps.onRetryDenied()
    return undefined
  }
  await deps.pause(Math.max(waitMs ?? 0, backOffMs(failed.length - 1, random)))
  // By now the client may have disconnected, or the process may be stopping.
  if (call.isClientGone() || deps.watchdog.isEnding) return undefined
  // A queued request may have taken the free slot in the meantime.
  const isLate = deps.routing.queue !== undefined && index >= 0 && isFull(candidate)
  return waitMs === undefined || isLate ? queued() : taking(exchange, failed, next, deps)
}

function mayQueue(
  { plan, skipped }: Exchange,
  failed: readonly Attempt[],
  { routing }: ForwardDeps,
): boolean {
  if (!routing.queue) return false
  return findUnspent(plan.candidates, [...skipped, ...failed]).length > 0
}

interface QueuedAttemptParams {
  readonly exchange: Exchange
  readonly failed: readonly Attempt[]
  readonly deps: ForwardDeps
  /** How the previous attempt ended; undefined for the first one. */
  readonly retryAfter?: string
  /** Called during the wait, for a client that already has the headers of its stream. */
  readonly onTick?: ((nowMs: number) => void) | undefined
}

/** The try after a wait for a free slot; undefined when the wait ended without one. */
export async function queuedAttempt(params: QueuedAttemptParams): Promise<NextAttempt | undefined> {
  const { exchange, failed, deps, retryAfter, onTick } = params
  const { caller, skipped } = exchange
  let taken: NextAttempt | undefined
  // The previous attempt has ended, and the wait may be long.
  exchange.attemptPermit?.end(0)
  while (!taken && (await waitForSlot(exchange, [...skipped, ...failed], deps, onTick))) {
    try {
      if (!(await checkAgain(exchange, deps))) return undefined
      const { candidates } = exchange.plan
      const spent = [...skipped, ...failed]
      const nowMs = deps.clock.monotonicMs()
      const own = exchange.slot?.load
      const candidate = candidates[findNext(candidates, spent, nowMs, caller.account.id, own)]
      const why = candidate && {
        ...choiceOf(exchange, candidate, 'queued'),
        ...(retryAfter && { retryAfter }),
      }
      const next = candidate && { candidate, why, isFresh: failed.some(isStale) }
      taken = next && (await taking(exchange, failed, next, deps))
    } finally {
      if (!taken) exchange.slot?.end()
    }
  }
  return taken
}

/** The try, if its credential has something left of its limits. Otherwise the one after it. */
async function taking(
  exchange: Exchange,
  failed: readonly Attempt[],
  next: NextAttempt,
  deps: ForwardDeps,
): Promise<NextAttempt | undefined> {
  if (await takeCandidate(exchange, next.candidate, deps)) return next
  const { plan, caller, skipped } = exchange
  const spent = [...skipped, ...failed]
  const nowMs = deps.clock.monotonicMs()
  const index = findNext(plan.candidates, spent, nowMs, caller.account.id, exchange.slot?.load)
  const candidate = plan.candidates[index]
  if (!candidate) return undefined
  const why = { ...next.why, ...choiceOf(exchange, candidate, plan.reasons[index]) }
  return taking(exchange, failed, { ...next, candidate, why }, deps)
}

/** Undefined when there is nothing to report: one candidate, with the requested model. */
function choiceOf(
  { facts }: Exchange,
  { model }: Candidate,
  reason: ChoiceReason | undefined,
): AttemptChoice | undefined {
  const isFallback = model.id !== facts.model
  if (reason === undefined && !isFallback) return undefined
  return { ...(reason && { reason }), ...(isFallback && { fallbackFrom: facts.model }) }
}

function isStale({ cause }: Attempt): boolean {
  return cause === 'connection'
}

function waitFor(
  { cause, cooldownMs, candidate }: Attempt,
  { candidates }: Plan,
): number | undefined {
  if (cause !== 'limit' || cooldownMs === undefined || !candidates.includes(candidate))
    return undefined
  return cooldownMs <= retryRules.waitMsMax ? cooldownMs : undefined
}
