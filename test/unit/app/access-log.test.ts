import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AccessLogSettings, openAccessLog } from '../../../src/app/observe/access-log.ts'
import type { LogLevel } from '../../../src/core/telemetry/log-level.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { Metrics } from '../../../src/telemetry/metrics.ts'
import type { UsageRecord } from '../../../src/usage/usage-record.ts'

const record: UsageRecord = {
  requestId: 'request-1',
  at: 0,
  accountId: 'acme',
  keyId: 'key-1',
  model: 'gpt-x',
  protocol: 'messages',
  groupId: 'default',
  isStream: true,
  status: 200,
  reason: undefined,
  costNano: 1_500_000_000n,
  firstTokenMs: 20,
  totalMs: 70,
  clientAddress: '127.0.0.1',
  clientRequestId: undefined,
  upstreamId: 'u1',
  upstreamRequestId: undefined,
  warnings: [],
  attempts: [],
}
const refused: UsageRecord = { ...record, status: 404, reason: 'model_not_found' }
const cut: UsageRecord = { ...record, status: 200, reason: 'quota_cut' }

const usual: AccessLogSettings = {
  accessLog: 'on',
  accessLogSampleRate: 1,
  accessLogFileBytesMax: 1_000_000,
  accessLogFilesMax: 1,
}

function openLog(
  settings: Partial<AccessLogSettings>,
  shares: number[] = [],
  level: LogLevel = 'info',
) {
  const lines: string[] = []
  const tapped: string[] = []
  const metrics = new Metrics()
  const write = (line: string) => void lines.push(line)
  const log = createLog({ level, nowMs: () => 0, write })
  const accessLog = openAccessLog(
    { ...usual, ...settings },
    {
      metrics,
      log,
      clock: systemClock,
      always: { worker: 2 },
      tap: ({ event }) => void tapped.push(event),
      share: () => shares.shift() ?? 0,
    },
  )
  return { accessLog, lines, tapped, metrics }
}

describe('the access log', () => {
  test.each<[string, Partial<AccessLogSettings>, LogLevel, number]>([
    ['has a line for each request', {}, 'info', 3],
    ['is off', { accessLog: 'off' }, 'info', 0],
    ['is off with the log level warn', {}, 'warn', 0],
    ['with a sample share of 0 has only the failures', { accessLogSampleRate: 0 }, 'info', 2],
  ])('%s', async (_, settings, level, count) => {
    const { accessLog, lines } = openLog(settings, [0.5], level)
    for (const each of [record, refused, cut]) accessLog.onRecord(each, undefined)
    await accessLog.stop()
    expect(lines.length).toBe(count)
  })

  test('has the chosen share of the successes', () => {
    const { accessLog, lines } = openLog({ accessLogSampleRate: 0.25 }, [0.24, 0.25, 0.9, 0])
    for (let at = 0; at < 4; at += 1) accessLog.onRecord(record, undefined)
    expect(lines.length).toBe(2)
  })

  test('in a separate file has the same lines, and the log has none', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'tollgate-access-')), 'access.log')
    const { accessLog, lines, tapped } = openLog({ accessLog: path }, [], 'error')
    accessLog.onRecord(record, undefined)
    accessLog.onRecord({ ...record, model: 'sk-1234567890abcdef' }, undefined)
    await accessLog.stop()
    const written = readFileSync(path, 'utf8').trim().split('\n')
    expect(written.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ event: 'request', requestId: 'request-1', worker: 2 }),
      expect.objectContaining({ model: '[masked]' }),
    ])
    expect(lines).toEqual([])
    expect(tapped).toEqual(['request', 'request'])
  })

  test('if the file cannot be written, lines are dropped and counted, and the log has one line', async () => {
    const { accessLog, lines, metrics } = openLog({ accessLog: '/dev/null/access.log' })
    accessLog.onRecord(record, undefined)
    accessLog.onRecord(record, undefined)
    await accessLog.stop()
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['access_log_dropped'])
    expect(metrics.render()).toContain('tollgate_access_log_dropped_total 2')
  })
})
