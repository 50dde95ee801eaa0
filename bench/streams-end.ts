import { limits } from '../src/gateway/limits.ts'
import type { TargetName } from './scenario.ts'
import type { Target } from './target.ts'
import { readUpstreamCounters } from './upstream-counters.ts'

/** How many of its upstream's streams a target may keep after all its clients have disconnected, and for how long. */
interface Allowance {
  readonly streams: number
  readonly forMs: number
}

export interface StreamsEnded {
  /** The time until no more streams were open than the target may read on. */
  readonly stoppedMs: number
  /** The time until the remaining streams had ended too. */
  readonly endedMs: number
}

/** The limit for stopping a stream that must not be read on. */
const stopMs = 5_000
const pollMs = 100

/**
 * The gateway reads some answers on to learn their usage, because this upstream may bill them to their end (decision
 * 31). All clients of the bench share one account.
 */
function allowanceOf(target: TargetName): Allowance {
  if (target !== 'gateway') return { streams: 0, forMs: 0 }
  return { streams: limits.readersPerAccountMax, forMs: limits.readOnMs }
}

/**
 * Call this after all clients of a target have disconnected. Fails unless the target's streams at the upstream end
 * within their limits.
 */
export async function untilStreamsEnd(upstream: Target, target: Target): Promise<StreamsEnded> {
  const allowed = allowanceOf(target.name)
  const startedAt = performance.now()
  const untilAtMost = async (most: number, limitMs: number): Promise<number> => {
    for (;;) {
      const { openStreams } = await readUpstreamCounters(upstream.url)
      const tookMs = performance.now() - startedAt
      if (openStreams <= most) return tookMs
      if (tookMs > limitMs) {
        throw new Error(
          `${target.name} keeps ${openStreams} upstream streams open ${Math.round(tookMs)} ms after their clients have disconnected; at most ${most} are allowed`,
        )
      }
      await Bun.sleep(pollMs)
    }
  }
  const stoppedMs = await untilAtMost(allowed.streams, stopMs)
  return { stoppedMs, endedMs: await untilAtMost(0, stopMs + allowed.forMs) }
}
