import { expect, test } from 'bun:test'
import { kinds, makeInput } from './make-input.ts'
import { runConsole } from './run-console.ts'
import { runHostile } from './run-hostile.ts'

const count = 2_000
const consoleCount = 1_000
const timeoutMs = 300_000

test(
  `${count} hostile inputs: every answer is a documented one, no secret shows, and the money adds up`,
  async () => {
    const report = await runHostile({ seed: 1, count })
    expect(report.failures).toEqual([])
    expect(report.insideHits).toBe(0)
    expect(report.inputs).toBe(count)
    // The inputs prove something only if they are of all kinds and some reach an upstream.
    expect(Object.keys(report.kinds).toSorted()).toEqual([...kinds].toSorted())
    for (const status of [200, 400, 401, 404, 405, 502]) {
      expect(report.statuses[status] ?? 0).toBeGreaterThan(0)
    }
    expect(report.upstreamRequests).toBeGreaterThan(count / 10)
  },
  timeoutMs,
)

test(
  `${consoleCount} hostile requests of the console: no defect, and no secret shows`,
  async () => {
    const report = await runConsole(1, consoleCount)
    expect(report.failures).toEqual([])
    for (const status of [200, 400, 401, 403, 404, 405]) {
      expect(report.statuses[status] ?? 0).toBeGreaterThan(0)
    }
  },
  timeoutMs,
)

test('a seed is repeated exactly', () => {
  const world = { insidePort: 1 }
  for (let index = 0; index < 200; index += 1) {
    expect(makeInput(7, index, world)).toEqual(makeInput(7, index, world))
  }
})
