const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A duration in the largest unit that fits twice, such as `3 h`. */
export function ageText(ms: number): string {
  const past = Math.max(0, ms)
  if (past < 2 * minuteMs) return `${Math.floor(past / 1_000)} s`
  if (past < 2 * hourMs) return `${Math.floor(past / minuteMs)} min`
  return past < 2 * dayMs ? `${Math.floor(past / hourMs)} h` : `${Math.floor(past / dayMs)} days`
}
