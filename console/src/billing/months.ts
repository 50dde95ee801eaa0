/** A month as its first and last day in UTC, such as 2026-11-01 and 2026-11-30. */
export interface Month {
  readonly from: string
  readonly to: string
}

export function monthOf(day: string): Month {
  const [year = 1970, month = 1] = day.split('-').map(Number)
  return monthAt(year, month - 1)
}

export function monthBeside(day: string, offset: number): Month {
  const [year = 1970, month = 1] = day.split('-').map(Number)
  return monthAt(year, month - 1 + offset)
}

export function today(nowMs: number): string {
  return dayText(new Date(nowMs))
}

function monthAt(year: number, monthIndex: number): Month {
  return {
    from: dayText(new Date(Date.UTC(year, monthIndex, 1))),
    to: dayText(new Date(Date.UTC(year, monthIndex + 1, 0))),
  }
}

function dayText(date: Date): string {
  return date.toISOString().slice(0, 10)
}
