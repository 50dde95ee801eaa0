import type { LimitKind } from '../../core/limits/rate-limit.ts'
import { LimitRefusal, LimitsUnavailable, type Permit, type Verdict } from '../../limits/limiter.ts'
import type { Candidate } from '../../routing/route-set.ts'
import { expectedTokens } from '../admit/rate-limit.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'

/** The wait to report while the remaining limits of a credential are unknown. */
const unknownWaitMs = 1_000
/** The skipped candidates of one request that its log lists. */
const skipsLoggedMax = 8

/**
 * Counts an attempt towards the limits of the candidate's credential, unless it was counted with the request. False
 * when they are used up: the candidate is then noted as skipped, and the next one may be tried. An earlier attempt of
 * the request has ended and gives its place back.
 */
export function takeCredential(
  exchange: Exchange,
  candidate: Candidate,
  deps: ForwardDeps,
): boolean | Promise<boolean> {
  exchange.attemptPermit?.end(0)
  exchange.attemptPermit = undefined
  const limits = candidate.credential?.limits
  const asked = exchange.permit?.takeCredential?.(limits)
  if (!limits) return true
  const { credential } = candidate.state
  const tokens = expectedTokens(exchange.facts, exchange.input)
  const nowMs = deps.clock.monotonicMs()
  const settle = (verdict: Verdict): boolean => {
    if (!(verdict instanceof LimitRefusal)) return keep(exchange, verdict)
    const { kind, waitMs } = verdict
    // How long a running request takes is not known.
    if (kind !== 'concurrent') credential.noteUsedUp(nowMs, waitMs, kind === 'tokens' ? tokens : 0)
    return skip(exchange, candidate, kind, waitMs, deps)
  }
  if (asked) return settle(asked)
  // A call to a server that would refuse again is saved. In this process nothing is cheaper than to ask again.
  if (deps.limiter.isRemote && credential.isUsedUp(nowMs, tokens))
    return skip(exchange, candidate, 'requests', credential.usedUpUntilMs - nowMs, deps)
  const verdict = deps.limiter.admit([limits], tokens)
  if (!(verdict instanceof Promise)) return settle(verdict)
  return verdict.then(settle, (error: unknown) => {
    if (!(error instanceof LimitsUnavailable)) throw error
    return skip(exchange, candidate, 'requests', unknownWaitMs, deps)
  })
}

function keep(exchange: Exchange, permit: Permit): boolean {
  exchange.attemptPermit = permit
  return true
}

function skip(
  exchange: Exchange,
  candidate: Candidate,
  kind: LimitKind,
  waitMs: number,
  deps: ForwardDeps,
): boolean {
  const { upstream } = candidate.route
  // The limits are those of the credential, whatever the model.
  exchange.skipped.push({ candidate, cause: 'credential', waitMs })
  deps.onCredentialLimited(upstream.id, kind)
  if (exchange.skipped.length <= skipsLoggedMax) {
    exchange.trace.attempts.push({
      upstreamId: upstream.id,
      credential: candidate.credential?.hint,
      status: undefined,
      reason: 'credential_limited',
      firstByteMs: undefined,
      totalMs: 0,
      note: undefined,
    })
  }
  return false
}

/** The shortest time until one of the skipped candidates can serve the request; undefined when none was skipped. */
export function shortestSkip({ skipped }: Exchange): number | undefined {
  const waits = skipped.map(({ waitMs }) => waitMs).filter((waitMs) => waitMs !== undefined)
  return waits.length === 0 ? undefined : Math.min(...waits)
}
