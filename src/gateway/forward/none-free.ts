import { Fault } from '../../core/fault.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'
import { findUnspent } from '../../routing/find-next.ts'
import { listCandidates } from '../../routing/plan.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import { shortestSkip } from './take-credential.ts'

/**
 * The fault of a request that no candidate could take. If the credentials of all healthy candidates have nothing left
 * of their limits, the answer is that of a provider that refuses the request.
 */
export function noneFree(exchange: Exchange, deps: Pick<ForwardDeps, 'clock'>): Fault {
  const skippedMs = shortestSkip(exchange)
  const waitMs = skippedMs === undefined ? undefined : credentialWaitMs(exchange, skippedMs, deps)
  if (waitMs !== undefined) {
    const retryAfterSeconds = Math.max(1, wholeSeconds(waitMs))
    return new Fault(
      'upstream_rejected',
      `The upstreams of this model have reached their rate limits. Try again in ${retryAfterSeconds} s.`,
      { status: 429, upstream: { status: 429 }, retryAfterSeconds },
    )
  }
  return new Fault(
    'no_upstream_available',
    skippedMs === undefined
      ? 'All upstreams of this model have reached their limit of concurrent requests. Try again.'
      : 'All upstreams of this model have reached a limit. Try again.',
    { retryAfterSeconds: 1 },
  )
}

/**
 * How long until the first credential has room, also one that the plan left out because it was used up. Undefined if a
 * healthy upstream was left out only because it was full: a slot becomes free long before, or has become free already.
 */
function credentialWaitMs(
  { plan, planParams, facts, skipped, caller }: Exchange,
  skippedMs: number,
  { clock }: Pick<ForwardDeps, 'clock'>,
): number | undefined {
  const nowMs = clock.monotonicMs()
  const accountId = caller.account.id
  // Candidates outside the plan may be unable to serve features or shared objects.
  const isNarrowed = facts.features !== undefined || facts.sharedObjects !== undefined
  const all = isNarrowed ? plan.candidates : listCandidates(planParams)
  if (findUnspent(all, skipped).some(({ state }) => state.isHealthy(nowMs, accountId)))
    return undefined
  const waits = all.map(({ state }) => state.usedUpForMs(nowMs, accountId) ?? skippedMs)
  return Math.min(skippedMs, ...waits)
}
