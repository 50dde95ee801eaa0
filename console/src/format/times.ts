const secondMs = 1_000

/** `850 ms`, `1.24 s`, `75 s`: short enough for a column. */
export function formatDuration(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`
  const seconds = ms / secondMs
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`
}

export function formatMoment(atMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    atMs,
  )
}

export function formatDay(atMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(atMs)
}

/** The hour alone for today, with the day in front for everything older. */
export function formatRecent(atMs: number, language: string): string {
  const isToday = new Date(atMs).toDateString() === new Date().toDateString()
  const time: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  }
  const day: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' }
  return new Intl.DateTimeFormat(language, isToday ? time : { ...day, ...time }).format(atMs)
}
