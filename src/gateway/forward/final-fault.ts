import { Fault } from '../../core/fault.ts'
import type { Attempt } from './attempt.ts'

/**
 * What the caller is told when nobody has answered. If all who were tried have said when to come back, the soonest of
 * it; otherwise clients that repeat by themselves are told not to multiply what has been tried at several upstreams.
 */
export function finalFault(fault: Fault, failed: readonly Attempt[]): Fault {
  const { code, message, details } = fault
  const restMs = soonest(failed)
  if (restMs !== undefined) {
    const retryAfterSeconds = Math.ceil(restMs / 1_000)
    return new Fault(code, message, { ...details, retryAfterSeconds })
  }
  if (failed.length < 2) return fault
  return new Fault(code, message, { ...details, isFinal: code === 'upstream_error' })
}

function soonest(failed: readonly Attempt[]): number | undefined {
  let leastMs = Number.POSITIVE_INFINITY
  for (const { restMs } of failed) {
    if (restMs === undefined) return undefined
    leastMs = Math.min(leastMs, restMs)
  }
  return failed.length === 0 ? undefined : leastMs
}
