import type { LimitHeader, RateLevel } from '../../core/limits/rate-limit.ts'
import { changingText } from '../../core/text/changing-text.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'

/** The headers that clients of this protocol read. A limit of tokens includes input and output. */
export const limitHeaders: readonly LimitHeader[] = (['requests', 'tokens'] as const).flatMap(
  (kind): LimitHeader[] => [
    {
      name: `anthropic-ratelimit-${kind}-limit`,
      valueOf: (levels) => levels[kind]?.limit,
      textOf: String,
    },
    {
      name: `anthropic-ratelimit-${kind}-remaining`,
      valueOf: (levels) => levels[kind]?.remaining,
      textOf: changingText,
    },
    {
      name: `anthropic-ratelimit-${kind}-reset`,
      valueOf: (levels, nowMs) => fullAtSeconds(levels[kind], nowMs),
      textOf: timeText,
    },
  ],
)

function fullAtSeconds(level: RateLevel | undefined, nowMs: number): number | undefined {
  return level && wholeSeconds(nowMs + level.fullInMs)
}

/** As the service writes times: `2026-03-10T23:46:35Z`. */
function timeText(seconds: number): string {
  return `${new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length)}Z`
}
