import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../core/time/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import type { StopSignals } from './stop-signals.ts'

const checkEveryMs = 20

/**
 * The process has been asked to stop, and `/readyz` returns 503. Requests are still accepted, because a load balancer
 * notices only at its next health check. Ctrl-C ends the wait.
 */
export async function lameDuck(
  ms: number,
  signals: Pick<StopSignals, 'isInterrupted'>,
  log: Log,
): Promise<void> {
  if (ms === 0) return
  log.info('leaving', { seconds: ms / 1_000 })
  const endMs = systemClock.monotonicMs() + ms
  while (!signals.isInterrupted() && systemClock.monotonicMs() < endMs) await sleep(checkEveryMs)
}
