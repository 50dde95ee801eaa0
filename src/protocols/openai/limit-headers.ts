import type { LimitHeader, RateLevel } from '../../core/limits/rate-limit.ts'
import { changingText } from '../../core/text/changing-text.ts'
import { wholeSeconds } from '../../core/time/whole-seconds.ts'

/** The headers that clients of chat-completions and responses read. */
export const openaiLimitHeaders: readonly LimitHeader[] = (['requests', 'tokens'] as const).flatMap(
  (kind): LimitHeader[] => [
    {
      name: `x-ratelimit-limit-${kind}`,
      valueOf: (levels) => levels[kind]?.limit,
      textOf: String,
    },
    {
      name: `x-ratelimit-remaining-${kind}`,
      valueOf: (levels) => levels[kind]?.remaining,
      textOf: changingText,
    },
    {
      name: `x-ratelimit-reset-${kind}`,
      valueOf: (levels) => fullInSeconds(levels[kind]),
      textOf: durationText,
    },
  ],
)

function fullInSeconds(level: RateLevel | undefined): number | undefined {
  return level && wholeSeconds(level.fullInMs)
}

/** As the service writes durations: `6s`, `1m6s`. */
function durationText(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
