/** The calendar periods of a budget. A week begins on Monday. */
export const periodKinds = ['day', 'week', 'month'] as const
export type PeriodKind = (typeof periodKinds)[number]

export interface CalendarRules {
  /** A name of the IANA time zone database, such as `Europe/Paris`. */
  readonly zone: string
  /** The day on which a month begins. In a shorter month, the last day takes its place. */
  readonly monthDay: number
}

/** From `startMs` (inclusive) to `endMs` (exclusive). */
export interface CalendarPeriod {
  readonly startMs: number
  readonly endMs: number
}

/** Another version, or a replica with other time zone data, may have stored a zone that this runtime does not know. */
export function hasCalendar(zone: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone)
    return true
  } catch {
    return false
  }
}

/** The last periods by their rules: thousands of owners share a few calendars. */
const recent = new Map<string, readonly CalendarPeriod[]>()
const recentMax = 1_000
/** The present period, and the one before. */
const recentOfRules = 2

/**
 * The period that contains a moment. Throws for a zone without a calendar, see `hasCalendar`. Periods of one kind follow each other without gap or overlap: a period begins with
 * the first moment of its first day. Where clocks skip midnight, or a whole day, that is the first moment after the
 * gap.
 */
export function periodAt(kind: PeriodKind, atMs: number, rules: CalendarRules): CalendarPeriod {
  const name = `${kind} ${rules.monthDay} ${rules.zone}`
  const known = recent.get(name) ?? []
  const same = known.find(({ startMs, endMs }) => atMs >= startMs && atMs < endMs)
  if (same) return same
  const found = findPeriod(kind, atMs, rules)
  if (recent.size >= recentMax) recent.clear()
  recent.set(name, [found, ...known].slice(0, recentOfRules))
  return found
}

function findPeriod(kind: PeriodKind, atMs: number, rules: CalendarRules): CalendarPeriod {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs))
  let first = firstDayOf(kind, at.toZonedDateTimeISO(rules.zone).toPlainDate(), rules)
  let startMs = startOf(first, rules.zone)
  let next = nextFirstDay(kind, first, rules)
  let endMs = startOf(next, rules.zone)
  // Clocks that go back over midnight show the previous day again, and a skipped day is a period without time.
  while (atMs >= endMs) {
    first = next
    startMs = endMs
    next = nextFirstDay(kind, first, rules)
    endMs = startOf(next, rules.zone)
  }
  return { startMs, endMs }
}

function firstDayOf(
  kind: PeriodKind,
  day: Temporal.PlainDate,
  rules: CalendarRules,
): Temporal.PlainDate {
  if (kind === 'day') return day
  if (kind === 'week') return day.subtract({ days: day.dayOfWeek - 1 })
  const first = inMonth(day, rules)
  if (Temporal.PlainDate.compare(first, day) <= 0) return first
  return inMonth(day.with({ day: 1 }).subtract({ months: 1 }), rules)
}

function nextFirstDay(
  kind: PeriodKind,
  first: Temporal.PlainDate,
  rules: CalendarRules,
): Temporal.PlainDate {
  if (kind === 'day') return first.add({ days: 1 })
  if (kind === 'week') return first.add({ days: 7 })
  return inMonth(first.with({ day: 1 }).add({ months: 1 }), rules)
}

/** The first day of the period that begins in this month. */
function inMonth(day: Temporal.PlainDate, { monthDay }: CalendarRules): Temporal.PlainDate {
  return day.with({ day: Math.min(monthDay, day.daysInMonth) })
}

function startOf(day: Temporal.PlainDate, zone: string): number {
  return day.toZonedDateTime(zone).epochMilliseconds
}
