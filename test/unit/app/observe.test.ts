import { describe, expect, test } from 'bun:test'
import { createModelLabel } from '../../../src/app/model-label.ts'
import { createObserver } from '../../../src/app/observe.ts'
import { Fault } from '../../../src/core/fault.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'

function openObserver() {
  const lines: string[] = []
  const log = createLog({ level: 'info', nowMs: () => 0, write: (line) => void lines.push(line) })
  return { observer: createObserver(new Metrics(), log), lines }
}

describe('faults, as the operator sees them', () => {
  test('the log has the reason why the gateway cannot answer', () => {
    const { observer, lines } = openObserver()
    const operatorMessage = 'reserving failed: the books of account a do not balance'
    const fault = new Fault('unavailable', 'Try again.', { operatorMessage })
    observer.onFault('request-1', '/v1/messages', fault)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'error', event: 'unavailable', why: operatorMessage }),
    ])
  })

  test('what only the caller can put right is not', () => {
    const { observer, lines } = openObserver()
    observer.onFault('request-1', '/v1/messages', new Fault('invalid_token', 'No such key.'))
    observer.onFault('request-2', '/v1/messages', new Fault('unavailable', 'Stopping.'))
    expect(lines).toEqual([])
  })
})

describe('the model as a label', () => {
  const label = createModelLabel()

  test('is an id of the catalogue, never what a caller has made up', () => {
    expect(label({ model: 'gpt-x', groupId: 'default' })).toBe('gpt-x')
    expect(label({ model: 'made up by a caller', groupId: undefined })).toBe('')
    expect(label({ model: undefined, groupId: undefined })).toBe('')
  })

  test('has only so many values', () => {
    const values = new Set(
      Array.from({ length: 2_000 }, (_, index) =>
        label({ model: `m${index}`, groupId: 'default' }),
      ),
    )
    expect(values.size).toBeLessThan(500)
    expect(values).toContain('other')
    expect(label({ model: 'gpt-x', groupId: 'default' })).toBe('gpt-x')
  })
})
