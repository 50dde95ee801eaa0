import { sweepInvitations } from '../../accounts/sweep-invitations.ts'
import type { Clock } from '../../core/time/clock.ts'
import { sweepRecordings } from '../../recording/erase-recordings.ts'
import { sweepIdempotency } from '../../store/changes/idempotency.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import { makeMonths } from '../../store/tables/months.ts'
import type { Log } from '../../telemetry/log.ts'
import { sweepUsage } from '../../usage/sweep-usage.ts'
import type { RecordingSettings } from './open-recorder.ts'

/** Tests use shorter times. */
const usageLogTimes = { makeEveryMs: 60 * 60_000, sweepEveryMs: 10 * 60_000 }

export interface UsageLogDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: Log
  /** 0 keeps the log forever. */
  readonly usageRetentionMs: number
  readonly recording: Pick<RecordingSettings, 'recordingRetentionMs'>
  readonly times?: Partial<typeof usageLogTimes>
}

/**
 * Creates the log's partitions ahead of time, now and periodically, and deletes expired rows, recordings, invitations
 * and idempotency keys.
 */
export async function maintainUsageLog(deps: UsageLogDeps): Promise<{ stop(): Promise<void> }> {
  const { clock, log, usageRetentionMs } = deps
  const { makeEveryMs, sweepEveryMs } = { ...usageLogTimes, ...deps.times }
  const engine = forBackgroundWork(deps.engine)
  const make = async (): Promise<void> => {
    try {
      await makeMonths(engine, clock.nowMs())
    } catch (error) {
      // Rows without a partition go to the default partition; the next attempt moves them.
      log.warn('partition_not_created', { why: String(error) })
    }
  }
  let isStopped = false
  const sweepBodies = async (): Promise<void> => {
    const { recordingRetentionMs } = deps.recording
    let total = 0
    for (let count = -1; !isStopped && count !== 0; total += Math.max(count, 0))
      count = await sweepRecordings(engine, clock.nowMs(), recordingRetentionMs)
    if (total > 0) log.info('recordings_swept', { recordings: total })
  }
  const sweep = async (): Promise<void> => {
    try {
      while (!isStopped && (await sweepIdempotency(engine, clock.nowMs())) > 0);
      while (!isStopped && (await sweepInvitations(engine, clock.nowMs())) > 0);
      await sweepBodies()
      if (usageRetentionMs === 0) return
      for (let isDone = false; !isDone && !isStopped; ) {
        const swept = await sweepUsage(engine, clock.nowMs() - usageRetentionMs)
        if (swept.rows + swept.months.length > 0)
          log.info('usage_swept', { rows: swept.rows, months: swept.months.join(',') })
        isDone = swept.isDone
      }
    } catch (error) {
      log.warn('sweep_failed', { why: String(error) })
    }
  }
  await make()
  let running: Promise<void> | undefined
  /** One task at a time; a task that comes due meanwhile runs at its next interval. */
  const start = (work: () => Promise<void>): void => {
    running ??= work().finally(() => {
      running = undefined
    })
  }
  const timers = [
    setInterval(() => start(make), makeEveryMs),
    setInterval(() => start(sweep), sweepEveryMs),
  ]
  return {
    stop: async () => {
      isStopped = true
      for (const timer of timers) clearInterval(timer)
      await running
    },
  }
}
