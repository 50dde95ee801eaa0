import { expect, test } from 'bun:test'
import { createLog } from '../../../src/telemetry/log.ts'
import { RepeatedErrors } from '../../../src/telemetry/repeated-errors.ts'

test('many errors give one line per event in ten seconds, with their number', () => {
  const lines: string[] = []
  let nowMs = 0
  const log = createLog({ level: 'error', nowMs: () => 0, write: (line) => void lines.push(line) })
  const errors = new RepeatedErrors(log, () => nowMs)
  for (nowMs = 0; nowMs < 30_000; nowMs += 10) {
    errors.log('lease_not_returned', new Error('read-only'))
    if (nowMs % 15_000 === 0) errors.log('heartbeat_failed', new Error('away'))
  }
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(told.map(({ event, times, why }) => [event, times, why])).toEqual([
    ['lease_not_returned', undefined, 'Error: read-only'],
    ['heartbeat_failed', undefined, 'Error: away'],
    ['lease_not_returned', 1_000, 'Error: read-only'],
    ['heartbeat_failed', undefined, 'Error: away'],
    ['lease_not_returned', 1_000, 'Error: read-only'],
  ])
})
