const hint = /try again in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i

/** "Please try again in 644ms", "in 1.2s", "in 6m0s": the only place in a body that has the end of a rate limit. */
export function readRetryHint(message: string | undefined): number | undefined {
  const found = hint.exec(message ?? '')
  if (!found) return undefined
  const [, hours, minutes, amount, unit] = found
  const rest = Number(amount ?? 0) / (unit === 'ms' ? 1_000 : 1)
  const seconds = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + rest
  return seconds > 0 ? Math.ceil(seconds) : undefined
}
