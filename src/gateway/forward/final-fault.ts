import { Fault } from '../../core/fault.ts'
import type { Attempt } from './attempt.ts'

/**
 * The fault for the client when no attempt has succeeded. If every upstream tried gave a time to retry, the client gets
 * the earliest one. Otherwise the response tells clients with automatic retries not to repeat a request that several
 * upstreams have already failed. `skippedMs` is the time until a skipped credential can be used.
 */
export function finalFault(
  fault: Fault,
  failed: readonly Attempt[],
  skippedMs: number | undefined,
): Fault {
  const { code, message, details } = fault
  const cooldownMs = shortestCooldown(failed, skippedMs)
  if (cooldownMs !== undefined) {
    // An upstream may ask for a wait of 0 seconds. Many clients would then repeat their requests without a pause.
    const retryAfterSeconds = Math.max(1, Math.ceil(cooldownMs / 1_000))
    return new Fault(code, message, { ...details, retryAfterSeconds })
  }
  if (failed.length < 2) return fault
  if (code !== 'upstream_error') return new Fault(code, message, { ...details, isFinal: false })
  const { retryAfterSeconds: _, ...others } = details
  return new Fault(code, message, { ...others, isFinal: true })
}

function shortestCooldown(
  failed: readonly Attempt[],
  skippedMs: number | undefined,
): number | undefined {
  let leastMs = skippedMs ?? Number.POSITIVE_INFINITY
  for (const { cooldownMs } of failed) {
    if (cooldownMs === undefined) return undefined
    leastMs = Math.min(leastMs, cooldownMs)
  }
  return failed.length === 0 ? undefined : leastMs
}
