const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Relative time such as `3 minutes ago`. Clocks may differ, so a future time counts as now. */
export function formatAge(atMs: number, nowMs: number, language: string): string {
  const ageMs = Math.max(0, nowMs - atMs)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'always' })
  if (ageMs < minuteMs) return format.format(-Math.round(ageMs / secondMs), 'second')
  if (ageMs < hourMs) return format.format(-Math.round(ageMs / minuteMs), 'minute')
  if (ageMs < dayMs) return format.format(-Math.round(ageMs / hourMs), 'hour')
  return format.format(-Math.round(ageMs / dayMs), 'day')
}
