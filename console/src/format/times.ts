import type { seriesSteps } from '../../../src/console-api/contract.ts'

const secondMs = 1_000

/** `850 ms`, `1.24 s`, `75 s`: short enough for a column. */
export function formatDuration(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`
  const seconds = ms / secondMs
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(0)} s`
}

const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter is about 100 times as slow as using it, and tables format every row. */
function dateFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${language} ${JSON.stringify(options)}`
  const format = dateFormats.get(name) ?? new Intl.DateTimeFormat(language, options)
  dateFormats.set(name, format)
  return format
}

/** Not `hour12: false`: with it, older versions of Chromium write 24:05 instead of 00:05. */
const clock = { hourCycle: 'h23' } as const

export function formatMoment(atMs: number, language: string): string {
  return dateFormat(language, { dateStyle: 'medium', timeStyle: 'medium', ...clock }).format(atMs)
}

export function formatDay(atMs: number, language: string): string {
  return dateFormat(language, { dateStyle: 'medium' }).format(atMs)
}

/** A future time to the minute with its time zone, without the year if it is this one. */
export function formatReset(atMs: number, language: string, nowMs = Date.now()): string {
  return formatMinute(atMs, language, nowMs, { timeZoneName: 'short' })
}

/** To the minute, without the year if it is this one. */
export function formatMinute(
  atMs: number,
  language: string,
  nowMs = Date.now(),
  more: Intl.DateTimeFormatOptions = {},
): string {
  const options: Intl.DateTimeFormatOptions = {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...clock,
    ...more,
  }
  const year = new Date(atMs).getFullYear()
  if (year !== new Date(nowMs).getFullYear()) options.year = 'numeric'
  return dateFormat(language, options).format(atMs)
}

/** Only the time for today, with the day for the rest of this year, with the year for other years. */
export function formatRecent(atMs: number, language: string, nowMs = Date.now()): string {
  const at = new Date(atMs)
  const now = new Date(nowMs)
  const options: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...clock,
  }
  if (at.toDateString() !== now.toDateString()) {
    options.month = 'short'
    options.day = 'numeric'
    if (at.getFullYear() !== now.getFullYear()) options.year = 'numeric'
  }
  return dateFormat(language, options).format(at)
}

const steps = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const
const agoDaysMax = 30

/** `just now`, `5 minutes ago`, `yesterday`; the date if it was more than a month ago. */
export function formatAgo(atMs: number, language: string, nowMs = Date.now()): string {
  const pastMs = Math.max(0, nowMs - atMs)
  if (pastMs > agoDaysMax * steps[0].ms) return formatDay(atMs, language)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const step = steps.find(({ ms }) => pastMs >= ms)
  if (!step) return language.startsWith('zh') ? '刚刚' : 'just now'
  return format.format(-Math.floor(pastMs / step.ms), step.unit)
}

/** A step of a chart. Days are in UTC, like the sums. */
export function formatStep(
  atMs: number,
  step: (typeof seriesSteps)[number],
  language: string,
): string {
  const day: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' }
  if (step === 'day') {
    return dateFormat(language, { ...day, timeZone: 'UTC' }).format(atMs)
  }
  const hour: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', ...clock }
  return dateFormat(language, { ...day, ...hour }).format(atMs)
}

/** A time within a step of days, in UTC like the step, to the minute. */
export function formatUtcMinute(atMs: number, language: string): string {
  const options: Intl.DateTimeFormatOptions = {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
    ...clock,
  }
  return dateFormat(language, options).format(atMs)
}

/** A UTC day such as 2026-11-15, in the format of `formatDay`. */
export function formatUtcDay(day: string, language: string): string {
  const options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' }
  return dateFormat(language, options).format(new Date(`${day}T00:00:00Z`))
}

/** The month of a UTC day such as 2026-11-15. */
export function formatMonth(day: string, language: string): string {
  const options: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'long', timeZone: 'UTC' }
  return dateFormat(language, options).format(new Date(`${day}T00:00:00Z`))
}
