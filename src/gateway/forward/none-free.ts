import { Fault } from '../../core/fault.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'
import { findUnspent } from '../../routing/find-next.ts'
import { planCandidates } from '../../routing/plan.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import { shortestSkip } from './take-credential.ts'

/**
 * The fault of a request that no candidate could take. If the credentials of all healthy candidates have nothing left
 * of their limits, the answer is that of a provider that refuses the request.
 */
export function noneFree(exchange: Exchange, deps: Pick<ForwardDeps, 'clock'>): Fault {
  const waitMs = shortestSkip(exchange)
  if (waitMs !== undefined && !isAnyOnlyFull(exchange, deps)) {
    const retryAfterSeconds = Math.max(1, wholeSeconds(waitMs))
    return new Fault(
      'upstream_rejected',
      `The upstreams of this model have reached their rate limits. Try again in ${retryAfterSeconds} s.`,
      { status: 429, upstream: { status: 429 }, retryAfterSeconds },
    )
  }
  return new Fault(
    'no_upstream_available',
    waitMs === undefined
      ? 'All upstreams of this model have reached their limit of concurrent requests. Try again.'
      : 'All upstreams of this model have reached a limit. Try again.',
    { retryAfterSeconds: 1 },
  )
}

/**
 * Whether a healthy candidate was left out only because its upstream was full, also when the plan was made. Its slot can
 * become free long before a credential can be used again, or has become free already.
 */
function isAnyOnlyFull(
  { planParams, skipped, caller }: Exchange,
  { clock }: Pick<ForwardDeps, 'clock'>,
): boolean {
  const monotonicMs = clock.monotonicMs()
  const { candidates } = planCandidates({ ...planParams, monotonicMs, mayWait: true })
  return findUnspent(candidates, skipped).some(({ state }) =>
    state.isHealthy(monotonicMs, caller.account.id),
  )
}
