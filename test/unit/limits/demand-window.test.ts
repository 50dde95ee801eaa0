import { describe, expect, test } from 'bun:test'
import { DemandWindow } from '../../../src/limits/demand-window.ts'

/** Requests at equal intervals, from one time to another. */
interface Stretch {
  readonly perMinute: number
  readonly fromMs: number
  readonly toMs: number
}

function demandAt(atMs: number, stretches: readonly Stretch[], size = 1): number {
  const window = new DemandWindow(false)
  for (const { perMinute, fromMs, toMs } of stretches)
    for (let ms = fromMs; ms < toMs; ms += 60_000 / perMinute) window.note(size, ms)
  return window.total(atMs)
}

const busy = { perMinute: 1_200, fromMs: 0, toMs: 120_000 }
const few = { perMinute: 3, fromMs: 0, toMs: 120_000 }

describe('the demand of a process', () => {
  test.each([
    { name: 'no request', atMs: 5_000, stretches: [], least: 0, most: 0 },
    { name: 'the last minute', atMs: 120_000, stretches: [busy], least: 1_170, most: 1_230 },
    { name: 'few requests', atMs: 119_000, stretches: [few], least: 3, most: 3 },
    { name: 'many that have stopped', atMs: 123_000, stretches: [busy], least: 1, most: 60 },
    { name: 'few that may go on', atMs: 135_000, stretches: [few], least: 2, most: 3 },
    {
      name: 'many that have begun',
      atMs: 122_000,
      stretches: [{ ...busy, fromMs: 120_000, toMs: 122_000 }],
      least: 600,
      most: 1_300,
    },
    {
      name: 'a single one, which says nothing about a minute',
      atMs: 120_500,
      stretches: [{ perMinute: 1, fromMs: 120_000, toMs: 120_001 }],
      least: 1,
      most: 1,
    },
    {
      name: 'a second more than a minute ago',
      atMs: 181_000,
      stretches: [busy],
      least: 0,
      most: 0,
    },
  ])('$name', ({ atMs, stretches, least, most }) => {
    const demand = demandAt(atMs, stretches)
    expect(demand).toBeGreaterThanOrEqual(least)
    expect(demand).toBeLessThanOrEqual(most)
  })

  test('is never 0 within a minute of a request, so that nobody takes the part as full', () => {
    for (let atMs = 120_000; atMs < 179_000; atMs += 250)
      expect(demandAt(atMs, [busy])).toBeGreaterThan(0)
  })

  test('of tokens: some large requests are as few as small ones', () => {
    expect(demandAt(119_000, [few], 5_000)).toBe(15_000)
    expect(demandAt(123_000, [busy], 5_000)).toBeLessThanOrEqual(300_000)
  })

  test('for places: the maximum of the last seconds, whatever else was asked', () => {
    const window = new DemandWindow(true)
    window.note(50, 0)
    window.note(7, 30_000)
    window.note(3, 31_000)
    expect(window.total(31_000)).toBe(7)
    expect(window.total(45_000)).toBe(0)
  })
})
