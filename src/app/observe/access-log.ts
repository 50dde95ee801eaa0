import type { Config } from '../../config/config.ts'
import { formatDollars } from '../../core/money/money.ts'
import type { RequestSpan } from '../../core/telemetry/request-span.ts'
import type { Clock } from '../../core/time/clock.ts'
import { createLog, type Log, type LogFields, type LoggedEvent } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import { RepeatedErrors } from '../../telemetry/repeated-errors.ts'
import { RotatedFile, type rotatedFileLimits } from '../../telemetry/rotated-file.ts'
import type { UsageRecord } from '../../usage/usage-record.ts'

export type AccessLogSettings = Pick<
  Config,
  'accessLog' | 'accessLogSampleRate' | 'accessLogFileBytesMax' | 'accessLogFilesMax'
>

export interface AccessLog {
  onRecord(record: UsageRecord, span: RequestSpan | undefined): void
  /** Writes the remaining lines. */
  stop(): Promise<void>
}

export interface AccessLogDeps {
  readonly metrics: Metrics
  readonly log: Log
  readonly clock: Clock
  /** Fields of every line. */
  readonly always?: LogFields | undefined
  readonly tap: (event: LoggedEvent) => void
  /** A number from 0 to 1, for the choice of a sample. */
  readonly share: () => number
  readonly limits?: Partial<typeof rotatedFileLimits>
}

/** One line for each request, or for a sample of those that succeeded. */
export function openAccessLog(settings: AccessLogSettings, deps: AccessLogDeps): AccessLog {
  const dropped = deps.metrics.counter(
    'tollgate_access_log_dropped_total',
    'Lines that are missing from the access log file.',
    [],
  )
  const { accessLog: place, accessLogSampleRate: rate } = settings
  if (place === 'off') return { onRecord: () => undefined, stop: async () => undefined }
  const errors = new RepeatedErrors(deps.log, deps.clock.monotonicMs)
  const file =
    place === 'on'
      ? undefined
      : new RotatedFile({
          path: place,
          bytesMax: settings.accessLogFileBytesMax,
          filesMax: settings.accessLogFilesMax,
          nowMs: deps.clock.nowMs,
          onDropped: (lines, why) => {
            dropped.add([], lines)
            errors.log('access_log_dropped', why)
          },
          ...(deps.limits && { limits: deps.limits }),
        })
  const log = file ? fileLog(file, deps) : deps.log
  return {
    onRecord: (record, span) => {
      if (!log.isOn('info')) return
      if (isSuccess(record) && rate < 1 && deps.share() >= rate) return
      log.info('request', describe(record, span))
    },
    stop: async () => file?.end(),
  }
}

/** The level of the log does not apply to a file that has only these lines. */
function fileLog(file: RotatedFile, { clock, always, tap }: AccessLogDeps): Log {
  return createLog({
    level: 'info',
    nowMs: clock.nowMs,
    write: (line) => file.add(line),
    always,
    tap,
  })
}

function isSuccess({ status, reason }: UsageRecord): boolean {
  return status < 400 && reason === undefined
}

function describe(record: UsageRecord, span: RequestSpan | undefined): LogFields {
  return {
    requestId: record.requestId,
    status: record.status,
    reason: record.reason,
    protocol: record.protocol,
    model: record.model,
    key: record.keyId,
    account: record.accountId,
    group: record.groupId,
    stream: record.isStream,
    cost: formatDollars(record.costNano),
    totalMs: Math.round(record.totalMs),
    attempts: record.attempts.length,
    ...(span?.isRecorded && { traceId: span.traceId, spanId: span.spanId }),
  }
}
