import { Fault } from '../../core/fault.ts'
import type { Attempt } from './attempt.ts'

/**
 * The fault for the client when no attempt has succeeded. If every upstream tried gave a time to retry, the client gets
 * the earliest one. Otherwise clients with automatic retries are told not to repeat a request that several upstreams
 * have already failed.
 */
export function finalFault(fault: Fault, failed: readonly Attempt[]): Fault {
  const { code, message, details } = fault
  const cooldownMs = shortestCooldown(failed)
  if (cooldownMs !== undefined) {
    const retryAfterSeconds = Math.ceil(cooldownMs / 1_000)
    return new Fault(code, message, { ...details, retryAfterSeconds })
  }
  if (failed.length < 2) return fault
  return new Fault(code, message, { ...details, isFinal: code === 'upstream_error' })
}

function shortestCooldown(failed: readonly Attempt[]): number | undefined {
  let leastMs = Number.POSITIVE_INFINITY
  for (const { cooldownMs } of failed) {
    if (cooldownMs === undefined) return undefined
    leastMs = Math.min(leastMs, cooldownMs)
  }
  return failed.length === 0 ? undefined : leastMs
}
