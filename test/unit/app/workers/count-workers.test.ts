import { describe, expect, test } from 'bun:test'
import { canShareAPort, countWorkers } from '../../../../src/app/workers/count-workers.ts'
import { restartRules, waitBefore } from '../../../../src/app/workers/restart-rules.ts'
import { readRole, writeRole } from '../../../../src/app/workers/worker-role.ts'
import { checkWorkers } from '../../../../src/cli/doctor/check-workers.ts'

const cases: readonly [wanted: number | 'auto', cores: number, quota: string, count: number][] = [
  [3, 8, 'max 100000', 3],
  ['auto', 8, 'max 100000', 8],
  ['auto', 8, '200000 100000', 2],
  ['auto', 8, '150000 100000', 2],
  ['auto', 8, '20000 100000', 1],
  ['auto', 2, '800000 100000', 2],
  ['auto', 8, '', 8],
  ['auto', 200, '', 64],
]

describe('the number of workers', () => {
  for (const [wanted, cores, quota, count] of cases) {
    test(`${wanted} on ${cores} cores with the quota "${quota}": ${count}`, () =>
      expect(countWorkers(wanted, cores, quota)).toBe(count))
  }

  test('only Linux shares a port', () => {
    expect(['linux', 'darwin', 'win32'].map(canShareAPort)).toEqual([true, false, false])
  })

  test('doctor reports the number of processes, and that other systems use one', () => {
    expect(checkWorkers({ workers: 1 })).toEqual([])
    expect(checkWorkers({ workers: 2 }, 'linux')).toEqual([
      { verdict: 'ok', topic: 'workers', text: '2 processes serve on one port' },
    ])
    expect(checkWorkers({ workers: 'auto' }, 'darwin')).toMatchObject([{ verdict: 'warn' }])
  })
})

test('the wait before a restart doubles up to its limit', () => {
  const waits = [1, 2, 3, 4, 5, 6, 60].map(waitBefore)
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, restartRules.waitMsMax])
})

test('a role survives the command line, and other text is not a role', () => {
  const role = {
    number: 2,
    workers: 4,
    replica: 'desk-2',
    port: 8080,
    metricsPort: undefined,
    greets: false,
  }
  expect(readRole(writeRole(role))).toEqual(role)
  for (const text of ['', '{}', '[]', '2', '{"number":2,"workers":4,"port":8080}'])
    expect(readRole(text)).toBeUndefined()
})
