import { limits } from '../src/gateway/limits.ts'
import type { TargetName } from './scenario.ts'
import type { Target } from './target.ts'
import { readUpstreamCounters } from './upstream-counters.ts'

/** What of its upstream's streams a target may keep after all of its clients have gone, and for how long. */
interface Allowance {
  readonly streams: number
  readonly forMs: number
}

export interface StreamsEnded {
  /** Until no more streams were open than may be read on. */
  readonly stoppedMs: number
  /** Until the last of the others was over as well. */
  readonly endedMs: number
}

/** The time in which a stream must be stopped that nobody may read on. */
const stopMs = 5_000
const pollMs = 100

/**
 * The gateway reads some answers on to learn their usage, because this upstream may bill them to their end
 * (decision 31). Everybody in the bench shares one account.
 */
function allowanceOf(target: TargetName): Allowance {
  if (target !== 'gateway') return { streams: 0, forMs: 0 }
  return { streams: limits.readersPerAccountMax, forMs: limits.readOnMs }
}

/** All clients of a target have gone: fails unless its streams at the upstream end in the time that they have. */
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
          `${target.name} keeps ${openStreams} upstream streams open ${Math.round(tookMs)} ms after their clients have gone; at most ${most} may be`,
        )
      }
      await Bun.sleep(pollMs)
    }
  }
  const stoppedMs = await untilAtMost(allowed.streams, stopMs)
  return { stoppedMs, endedMs: await untilAtMost(0, stopMs + allowed.forMs) }
}
