import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { LimitValues, OwnedLimits } from '../../../src/core/limits/rate-limit.ts'
import { CountState } from '../../../src/limits/count-state.ts'
import { fullInMsMax, minuteMs } from '../../../src/limits/rate.ts'
import type { RateCountTable } from '../../../src/store/tables/limit-tables.ts'

const hourMs = 3_600_000
const startMs = 1_000 * hourMs
const unused: RateCountTable = {
  name: 'key:k',
  requests_left_ms: 0,
  tokens_left_ms: 0,
  places: '',
  counted_at: startMs,
}

function limitOf(values: Partial<LimitValues>): OwnedLimits {
  const none = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null }
  return { owner: 'key', name: 'key:k', values: { ...none, ...values } }
}

interface At {
  readonly nowMs?: number
  readonly replica?: string
  readonly alive?: readonly string[]
}

function open(
  row: RateCountTable,
  { nowMs = startMs, replica = 'a', alive = ['a', 'b'] }: At = {},
  running = 0,
): CountState {
  return new CountState(row, { nowMs, replica, isAlive: (each) => alive.includes(each) }, running)
}

const leftOf = (state: CountState, owned: OwnedLimits) => {
  const { requestsFullInMs, tokensFullInMs } = state.ownerState(owned)
  return [requestsFullInMs, tokensFullInMs]
}

describe('the count of a limit in the database', () => {
  const owned = limitOf({ requestsPerMinute: 60, tokensPerMinute: 600 })

  test.each([
    ['the time that has passed since comes back', 400, [600, 4_600]],
    ['all of it comes back', 10_000, [0, 0]],
    ['a clock that was set back takes nothing and gives nothing', -hourMs, [1_000, 5_000]],
  ])('after one request of 50 tokens %s', (_, passedMs, left) => {
    const first = open(unused)
    first.take(owned, 50)
    const row = first.row()
    const later = open(row, { nowMs: startMs + passedMs })
    expect(leftOf(later, owned)).toEqual(left)
    // From then on time passes as usual.
    const next = open(later.row(), { nowMs: startMs + passedMs + 100 })
    expect(leftOf(next, owned)).toEqual(left.map((ms) => Math.max(0, ms - 100)))
  })

  test('places of others count while they are repeated and their process runs', () => {
    const places = limitOf({ concurrentRequests: 3 })
    const other = open(unused, { replica: 'b' }, 1)
    other.take(places, 1)
    const row = other.row()
    const runningAt = (at: At, running = 0) => open(row, at, running).ownerState(places).running
    expect(runningAt({})).toBe(2)
    expect(runningAt({}, 1)).toBe(3)
    expect(open(row, {}, 1).hasRoom(places, 1)).toBe(false)
    expect(runningAt({ alive: ['a'] })).toBe(0)
    expect(runningAt({ nowMs: startMs + 9_000 })).toBe(2)
    expect(runningAt({ nowMs: startMs + 10_000 })).toBe(0)
    // A process knows its own.
    expect(runningAt({ replica: 'b' })).toBe(0)
    // What does not count is not written again.
    expect(open(row, { alive: ['a'] }).row().places).toBe('')
    expect(open(open(row).row(), {}, 1).ownerState(places).running).toBe(3)
  })

  test('a clock that moves as it likes admits no more than the limit and the time that it has shown', () => {
    const steps = fc.array(
      fc.tuple(fc.integer({ min: -200_000, max: 100_000 }), fc.integer({ min: 0, max: 900 })),
      { maxLength: 100 },
    )
    fc.assert(
      fc.property(steps, (given) => {
        let row = unused
        let nowMs = startMs
        let [passedMs, requests, tokens] = [0, 0, 0]
        for (const [stepMs, size] of given) {
          nowMs += stepMs
          passedMs += Math.max(0, stepMs)
          const state = open(row, { nowMs })
          for (const left of leftOf(state, owned)) expect(left).toBeLessThanOrEqual(fullInMsMax)
          if (state.hasRoom(owned, size)) {
            state.take(owned, size)
            requests += 1
            tokens += Math.min(size, 600)
          }
          row = state.row()
        }
        const minutes = 1 + passedMs / minuteMs
        expect(requests).toBeLessThanOrEqual(60 * minutes + 1e-6)
        expect(tokens).toBeLessThanOrEqual(600 * minutes + 1e-6)
      }),
    )
  })
})
