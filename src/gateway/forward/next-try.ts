import type { Fault } from '../../core/fault.ts'
import type { ChoiceReason, TryChoice } from '../../core/try-note.ts'
import { findNext, isFull } from '../../routing/find-next.ts'
import { backOffMs, retryRules } from '../../routing/retry-rules.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { ForwardDeps } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from './attempt.ts'
import { isWorthAnotherTry } from './upstream-fault.ts'

/** The next candidate to try, and why. */
export interface Try {
  readonly candidate: Candidate
  /** Undefined when there was no choice. */
  readonly why: TryChoice | undefined
  /** After a kept connection was closed, the retry uses a new one. */
  readonly isFresh: boolean
}

const nobody: readonly Attempt[] = []

/** Undefined when all candidates have reached their limit of concurrent requests. */
export function firstTry(exchange: Exchange, deps: ForwardDeps): Try | undefined {
  const { plan, caller } = exchange
  const { candidates, reasons } = plan
  const only = candidates[0]
  if (candidates.length === 1 && only) {
    if (isFull(only)) return undefined
    const reason = reasons[0] === 'only' ? undefined : reasons[0]
    return { candidate: only, why: choiceOf(exchange, only, reason), isFresh: false }
  }
  const index = findNext(candidates, nobody, deps.clock.monotonicMs(), caller.account.id)
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
export async function nextTry(
  exchange: Exchange,
  failed: readonly Attempt[],
  fault: Fault,
  deps: ForwardDeps,
): Promise<Try | undefined> {
  const last = failed[failed.length - 1]
  if (!last || last.hasLeft || !isWorthAnotherTry(fault)) return undefined
  if (failed.length > retryRules.retriesMax) return undefined
  const { plan, call, caller } = exchange
  const { budget, random } = deps.routing
  const nowMs = deps.clock.monotonicMs()
  const index = findNext(plan.candidates, failed, nowMs, caller.account.id)
  const waitMs = index < 0 ? waitFor(last) : 0
  if (waitMs === undefined) return undefined
  const candidate = plan.candidates[index] ?? last.candidate
  const retryAfter = String(last.upstreamStatus ?? last.reasonFor(fault))
  const why = { ...choiceOf(exchange, candidate, plan.reasons[index] ?? 'only'), retryAfter }
  const next = { candidate, why, isFresh: failed.some(isStale) }
  // A request that cannot be translated for an upstream was never sent, so the next attempt is not a retry.
  if (fault.details.isUntranslatable === true) return next
  if (!budget.take(nowMs)) {
    deps.onRetryDenied()
    return undefined
  }
  await deps.pause(Math.max(waitMs, backOffMs(failed.length - 1, random)))
  // By now the client may have disconnected, or the process may be stopping.
  return call.isClientGone() || deps.watchdog.isEnding ? undefined : next
}

/** Undefined when there is nothing to report: one candidate, with the requested model. */
function choiceOf(
  { facts }: Exchange,
  { model }: Candidate,
  reason: ChoiceReason | undefined,
): TryChoice | undefined {
  const isFallback = model.id !== facts.model
  if (reason === undefined && !isFallback) return undefined
  return { ...(reason && { reason }), ...(isFallback && { fallbackFrom: facts.model }) }
}

function isStale({ blame }: Attempt): boolean {
  return blame === 'connection'
}

function waitFor({ blame, cooldownMs }: Attempt): number | undefined {
  if (blame !== 'limit' || cooldownMs === undefined) return undefined
  return cooldownMs <= retryRules.waitMsMax ? cooldownMs : undefined
}
