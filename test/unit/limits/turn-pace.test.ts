import { describe, expect, test } from 'bun:test'
import { TurnPace } from '../../../src/limits/turn-pace.ts'

/** Far longer than a test may take: a turn that comes at all comes because of `hurry`. */
const distanceMs = 3_600_000

function openPace() {
  let nowMs = 0
  const pace = new TurnPace(distanceMs, () => nowMs)
  return {
    pace,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

async function hasCome(turn: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  setImmediate(() => setImmediate(() => resolve(false)))
  return Promise.race([turn.then(() => true), promise])
}

describe('turns at a distance', () => {
  test('the first turn, and one after the distance, come at once', async () => {
    const { pace, pass } = openPace()
    await pace.nextTurn()
    pass(distanceMs)
    await pace.nextTurn()
  })

  test('a turn waits until somebody is in a hurry, and so does the one after it', async () => {
    const { pace } = openPace()
    await pace.nextTurn()
    for (let round = 0; round < 3; round += 1) {
      const turn = pace.nextTurn()
      expect(await hasCome(turn)).toBe(false)
      pace.hurry()
      await turn
    }
  })

  test('a hurry before the turn is not forgotten, and is used once', async () => {
    const { pace } = openPace()
    await pace.nextTurn()
    pace.hurry()
    pace.hurry()
    await pace.nextTurn()
    const turn = pace.nextTurn()
    expect(await hasCome(turn)).toBe(false)
    pace.hurry()
    await turn
  })

  test('a clock that has not moved does not delay the next turn beyond the distance', async () => {
    const pace = new TurnPace(1, () => 0)
    for (let round = 0; round < 5; round += 1) await pace.nextTurn()
  })
})
