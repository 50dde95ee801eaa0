const secondsMax = 999_999

/**
 * How many seconds an upstream's headers tell to wait: in milliseconds, which is the finer word, in seconds, or
 * as a date. Undefined when they do not say.
 */
export function readRetryAfter(
  headers: { get(name: string): string | null },
  nowMs: number,
): number | undefined {
  const ms = readNumber(headers.get('retry-after-ms'))
  if (ms !== undefined) return bounded(ms / 1_000)
  const text = headers.get('retry-after')
  const seconds = readNumber(text)
  if (seconds !== undefined) return bounded(seconds)
  const untilMs = Date.parse(text ?? '')
  return Number.isNaN(untilMs) ? undefined : bounded((untilMs - nowMs) / 1_000)
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

function bounded(seconds: number): number {
  return Math.min(Math.max(0, Math.ceil(seconds)), secondsMax)
}
