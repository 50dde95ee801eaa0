import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import moment from 'moment-timezone'
import { type PeriodKind, periodAt, periodKinds } from '../../../src/core/limits/calendar.ts'
import { isTimeZone } from '../../../src/core/time/time-zone.ts'
import { repeats } from '../../support/repeats.ts'

const zones = [
  'UTC',
  'Europe/London',
  'America/New_York',
  'Asia/Kathmandu',
  'Asia/Amman',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  // Clocks that skipped midnight, or went back over it.
  'America/Sao_Paulo',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Cairo',
  // Zones that skipped a whole day.
  'Pacific/Apia',
  'Pacific/Kwajalein',
]
const fromMs = Date.UTC(1976, 0, 1)
const toMs = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

/** The first moment of a day by the other library: when its clocks first show the day or a later one. */
function firstMoment(zone: string, year: number, month: number, day: number): number {
  const rules = moment.tz.zone(zone)
  if (!rules) throw new Error(`the library does not know ${zone}`)
  const wantedMs = Date.UTC(year, month, day)
  for (const [at, untilMs] of rules.untils.entries()) {
    const segmentMs = at === 0 ? Number.NEGATIVE_INFINITY : (rules.untils[at - 1] ?? 0)
    const ms = Math.max(segmentMs, wantedMs + (rules.offsets[at] ?? 0) * 60_000)
    if (ms < (untilMs ?? Number.POSITIVE_INFINITY)) return ms
  }
  throw new Error(`${zone} has no such day`)
}

/** The moments at which the clocks of a zone change, in the years of these tests. */
function changesOf(zone: string): readonly number[] {
  const untils = moment.tz.zone(zone)?.untils ?? []
  return untils.filter((ms) => ms !== null && ms > fromMs && ms < toMs)
}

/** The first days of all periods of a kind, counted on the plain calendar. */
function* firstDays(kind: PeriodKind, monthDay: number): Generator<[number, number, number]> {
  if (kind === 'month') {
    for (let month = 0; month < 50 * 12; month += 1) {
      const length = new Date(Date.UTC(1976, month + 1, 0)).getUTCDate()
      yield [1976, month, Math.min(monthDay, length)]
    }
    return
  }
  // 5 January 1976 was a Monday.
  const step = kind === 'day' ? 1 : 7
  for (let day = 5; fromMs + day * dayMs < toMs; day += step) yield [1976, 0, day]
}

describe('a period of the calendar', () => {
  for (const zone of zones) {
    test(`begins and ends as in another library, over 50 years in ${zone}`, () => {
      const wrong: string[] = []
      const changes = changesOf(zone)
      // Of the days, those near a change of the clocks, and every tenth of the others; all of them in a long run.
      const isLeftOut = (kind: PeriodKind, startMs: number, at: number): boolean =>
        kind === 'day' &&
        at % 10 > 0 &&
        repeats(1) === 1 &&
        !changes.some((ms) => Math.abs(ms - startMs) < 3 * dayMs)
      for (const kind of periodKinds) {
        for (const monthDay of kind === 'month' ? [1, 15, 29, 30, 31] : [1]) {
          const starts = [...firstDays(kind, monthDay)].map((day) => firstMoment(zone, ...day))
          for (const [at, startMs] of starts.entries()) {
            const endMs = starts[at + 1]
            // A skipped day has no time.
            if (endMs === undefined || endMs === startMs) continue
            if (isLeftOut(kind, startMs, at)) continue
            // Clocks that go back over midnight show the day before once more. These moments come first: the others
            // would leave their period in memory.
            const changed = changes.filter((ms) => ms >= startMs && ms < endMs)
            const moments = [...changed, startMs, Math.floor((startMs + endMs) / 2), endMs - 1]
            const isRight = (atMs: number): boolean =>
              Bun.deepEquals(periodAt(kind, atMs, { zone, monthDay }), { startMs, endMs })
            const failed = moments.filter((atMs) => !isRight(atMs))
            wrong.push(
              ...failed.map((atMs) => `${kind} ${monthDay} at ${new Date(atMs).toISOString()}`),
            )
          }
        }
      }
      expect(wrong).toEqual([])
    })
  }

  test('follows the previous one without gap or overlap, in every zone of the runtime', () => {
    const anyZone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
    const any = fc.record({
      zone: anyZone,
      kind: fc.constantFrom(...periodKinds),
      monthDay: fc.integer({ min: 1, max: 31 }),
      atMs: fc.integer({ min: fromMs, max: Date.UTC(2076, 0, 1) }),
    })
    fc.assert(
      fc.property(any, ({ zone, kind, monthDay, atMs }) => {
        const period = periodAt(kind, atMs, { zone, monthDay })
        expect(period.startMs).toBeLessThanOrEqual(atMs)
        expect(period.endMs).toBeGreaterThan(atMs)
        expect(periodAt(kind, period.startMs, { zone, monthDay })).toEqual(period)
        expect(periodAt(kind, period.endMs - 1, { zone, monthDay })).toEqual(period)
        expect(periodAt(kind, period.endMs, { zone, monthDay }).startMs).toBe(period.endMs)
        expect(periodAt(kind, period.startMs - 1, { zone, monthDay }).endMs).toBe(period.startMs)
      }),
      { numRuns: repeats(2_000) },
    )
  })

  const rows: [string, PeriodKind, number, string, string, string, string][] = [
    ['a leap day', 'day', 1, 'UTC', '2024-02-29T12:00Z', '2024-02-29T00:00Z', '2024-03-01T00:00Z'],
    [
      'day 31 in a leap year',
      'month',
      31,
      'UTC',
      '2024-03-01T00:00Z',
      '2024-02-29T00:00Z',
      '2024-03-31T00:00Z',
    ],
    [
      'day 31 in another year',
      'month',
      31,
      'UTC',
      '2023-02-27T23:59Z',
      '2023-01-31T00:00Z',
      '2023-02-28T00:00Z',
    ],
    [
      'an offset of 5:45',
      'day',
      1,
      'Asia/Kathmandu',
      '2026-01-01T18:14Z',
      '2025-12-31T18:15Z',
      '2026-01-01T18:15Z',
    ],
    [
      'a daylight saving of half an hour',
      'day',
      1,
      'Australia/Lord_Howe',
      '2026-04-04T14:00Z',
      '2026-04-04T13:00Z',
      '2026-04-05T13:30Z',
    ],
    [
      'a midnight that was skipped',
      'day',
      1,
      'America/Sao_Paulo',
      '2018-11-04T03:00Z',
      '2018-11-04T03:00Z',
      '2018-11-05T02:00Z',
    ],
    [
      'a day that was skipped',
      'day',
      1,
      'Pacific/Apia',
      '2011-12-30T09:59Z',
      '2011-12-29T10:00Z',
      '2011-12-30T10:00Z',
    ],
    [
      'the day after a skipped day',
      'day',
      1,
      'Pacific/Apia',
      '2011-12-30T10:00Z',
      '2011-12-30T10:00Z',
      '2011-12-31T10:00Z',
    ],
    [
      'a Sunday belongs to the week before',
      'week',
      1,
      'UTC',
      '2026-11-15T23:59Z',
      '2026-11-09T00:00Z',
      '2026-11-16T00:00Z',
    ],
  ]
  test.each(rows)('%s', (_, kind, monthDay, zone, at, start, end) => {
    const found = periodAt(kind, Date.parse(at), { zone, monthDay })
    expect(found).toEqual({ startMs: Date.parse(start), endMs: Date.parse(end) })
  })
})

test.each([
  ['UTC', true],
  ['Europe/Paris', true],
  ['Asia/Kathmandu', true],
  ['+02:00', false],
  ['Europe/Nowhere', false],
  ['', false],
  ['Europe/Paris\n', false],
])('%p is a time zone: %p', (name, isOne) => {
  expect(isTimeZone(name)).toBe(isOne)
})
