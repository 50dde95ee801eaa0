import type { Fault } from '../../core/fault.ts'
import type { ChoiceReason, TryChoice } from '../../core/try-note.ts'
import { findNext, isFull } from '../../routing/find-next.ts'
import { backOffMs, retryRules } from '../../routing/retry-rules.ts'
import type { Candidate } from '../../routing/route-set.ts'
import type { ForwardDeps } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from './attempt.ts'
import { isWorthAnotherTry } from './upstream-fault.ts'

/** Who is tried now, and why. */
export interface Try {
  readonly candidate: Candidate
  /** Undefined when there was nothing to choose. */
  readonly why: TryChoice | undefined
  /** A connection that was kept is not trusted a second time. */
  readonly isFresh: boolean
}

const nobody: readonly Attempt[] = []

/** Undefined when all have as many requests as they take at once. */
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
 * Who is tried after a failure: somebody else, or the same on a new connection when a kept one was closed, after a
 * short wait of random length, as long as the process has retries left. When nobody else is there, an upstream that
 * asked for a little patience is asked again.
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
  const patienceMs = index < 0 ? patienceFor(last) : 0
  if (patienceMs === undefined) return undefined
  const candidate = plan.candidates[index] ?? last.candidate
  const retryAfter = String(last.upstreamStatus ?? last.reasonFor(fault))
  const why = { ...choiceOf(exchange, candidate, plan.reasons[index] ?? 'only'), retryAfter }
  const next = { candidate, why, isFresh: failed.some(isStale) }
  // What could not be said in one upstream's protocol was never sent: asking the next one is no repetition.
  if (fault.details.isUntranslatable === true) return next
  if (!budget.take(nowMs)) {
    deps.onRetryDenied()
    return undefined
  }
  await deps.pause(Math.max(patienceMs, backOffMs(failed.length - 1, random)))
  // Nobody may be waiting by now, or nothing may begin any more.
  return call.isClientGone() || deps.watchdog.isEnding ? undefined : next
}

/** Undefined when there is nothing to tell: one candidate, of the model that was asked for. */
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

function patienceFor({ blame, restMs }: Attempt): number | undefined {
  if (blame !== 'limit' || restMs === undefined) return undefined
  return restMs <= retryRules.patienceMsMax ? restMs : undefined
}
