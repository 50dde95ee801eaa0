const secondsMax = 999_999

/**
 * The seconds to wait according to an upstream's headers: in milliseconds (preferred, because more precise), in
 * seconds, or as a date. Undefined without such a header.
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
