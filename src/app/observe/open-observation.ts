import type { Tracer } from '../../core/telemetry/request-span.ts'
import type { Clock } from '../../core/time/clock.ts'
import { sendHttp } from '../../http-out/outgoing-http.ts'
import type { Log, LogFields } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { LiveConfig } from '../secrets/adopt-secret.ts'
import { openAccessLog } from './access-log.ts'
import { createObserver, type Observer } from './observe.ts'
import { openTelemetry, type Telemetry } from './otlp/open-telemetry.ts'

/** Receives the events of the log. The receiver is set after the log has been created. */
export interface LogTap {
  onLog: Telemetry['onLog']
}

export interface ObservationDeps {
  readonly metrics: Metrics
  readonly log: Log
  readonly clock: Clock
  readonly replica: string
  readonly version: string
  readonly logged: LogTap
  /** Fields of every log line. */
  readonly always: LogFields | undefined
}

/** Metrics, the access log, and the data for a collector. */
export interface Observation {
  readonly observer: Observer
  /** Undefined when no request is traced. */
  readonly tracer: Tracer | undefined
  /** Writes and sends the rest. */
  stop(): Promise<void>
}

export function openObservation(live: LiveConfig, deps: ObservationDeps): Observation {
  const { metrics, log, logged } = deps
  const { config } = live
  const settings = {
    ...config,
    get otlpHeaders() {
      return live.config.otlpHeaders
    },
  }
  const telemetry = openTelemetry(settings, { ...deps, send: sendHttp })
  logged.onLog = telemetry.onLog
  const tap = telemetry.onLog
  const accessLog = openAccessLog(config, { ...deps, tap, share: Math.random })
  const { metricsOwners: owners } = config
  const { tracer, onRecord, onServed } = telemetry
  return {
    observer: createObserver(metrics, log, { owners, onRecord, onServed, accessLog }),
    tracer,
    stop: async () => {
      await accessLog.stop()
      await telemetry.stop()
    },
  }
}
