import type { Config } from '../../../config/config.ts'
import { systemRandom } from '../../../core/id.ts'
import type { TokenUsage } from '../../../core/money/usage.ts'
import type { RequestSpan, Tracer } from '../../../core/telemetry/request-span.ts'
import type { Clock } from '../../../core/time/clock.ts'
import type { SendHttp } from '../../../http-out/outgoing-http.ts'
import type { Log, LoggedEvent } from '../../../telemetry/log.ts'
import { type Counter, Metrics } from '../../../telemetry/metrics.ts'
import { ExportQueue, type PostOutcome } from '../../../telemetry/otlp/export-queue.ts'
import type { OtlpSource } from '../../../telemetry/otlp/values.ts'
import { outgoingEvent, writeLogs } from '../../../telemetry/otlp/write-logs.ts'
import { type FinishedSpan, writeSpans } from '../../../telemetry/otlp/write-spans.ts'
import { RepeatedErrors } from '../../../telemetry/repeated-errors.ts'
import { createTracer } from '../../../telemetry/tracer.ts'
import type { UsageRecord } from '../../../usage/usage-record.ts'
import { describeSpans } from './describe-spans.ts'
import { observeGenAi } from './observe-gen-ai.ts'
import { postOtlp } from './post-otlp.ts'
import { sendMetrics } from './send-metrics.ts'

type Signal = Config['otlpSignals'][number]

export type TelemetrySettings = Pick<
  Config,
  | 'otlpEndpoint'
  | 'otlpHeaders'
  | 'otlpSignals'
  | 'traceSampleRate'
  | 'traceParents'
  | 'traceUpstreams'
>

/** Tests use shorter times. */
export const telemetryLimits = {
  /** Spans, and log events, that may wait for the collector. Beyond that, new ones are dropped. */
  itemsMax: 4_096,
  /** Writing a batch takes about a millisecond, during which no request is served. */
  batchMax: 128,
  delayMs: 1_000,
  triesMax: 5,
  attemptMs: 10_000,
  metricsEveryMs: 60_000,
  /** The time to send the rest when the process stops. */
  endMs: 3_000,
}

export interface Telemetry {
  /** Undefined when no request is traced. */
  readonly tracer: Tracer | undefined
  /** Counts for the collector alone; undefined without one. */
  readonly onServed: ((record: UsageRecord, usage: TokenUsage | undefined) => void) | undefined
  onRecord(record: UsageRecord, usage: TokenUsage | undefined, span: RequestSpan | undefined): void
  onLog(event: LoggedEvent): void
  /** Sends the rest. */
  stop(): Promise<void>
}

export interface TelemetryDeps {
  readonly metrics: Metrics
  readonly log: Log
  readonly clock: Clock
  readonly send: SendHttp
  readonly version: string
  readonly replica: string
  readonly limits?: Partial<typeof telemetryLimits> & { retryMs?: (tries: number) => number }
}

/** Sends traces, metrics and log events to a collector. Nothing on the path of a request waits for it. */
export function openTelemetry(settings: TelemetrySettings, deps: TelemetryDeps): Telemetry {
  const limits = { ...telemetryLimits, ...deps.limits }
  const counters = countersOf(deps.metrics)
  const { otlpEndpoint: endpoint, traceParents, traceSampleRate, traceUpstreams } = settings
  const sends = (signal: Signal) => endpoint !== undefined && settings.otlpSignals.includes(signal)
  const source: OtlpSource = {
    version: deps.version,
    resource: {
      'service.name': 'tollgate',
      'service.version': deps.version,
      'service.instance.id': deps.replica,
    },
  }
  const errors = new RepeatedErrors(deps.log, deps.clock.monotonicMs)
  const outlet = (signal: Signal) => {
    const collector = { ...deps, ...limits, url: `${endpoint}/v1/${signal}` }
    return {
      post: (body: string): Promise<PostOutcome> => {
        // The headers may hold a token that changes while the gateway runs.
        const headers = { ...settings.otlpHeaders, 'content-type': 'application/json' }
        return postOtlp({ ...collector, headers: new Headers(headers) }, body)
      },
      onSent: (count: number) => counters.sent.add([signal], count),
      onDropped: (count: number, why: string) => {
        counters.dropped.add([signal], count)
        errors.log('telemetry_dropped', `${signal}: ${why}`)
      },
    }
  }
  const queueOf = <Item>(signal: Signal, write: (items: readonly Item[]) => string) =>
    sends(signal) ? new ExportQueue<Item>({ ...limits, ...outlet(signal), write }) : undefined
  const spans = queueOf<FinishedSpan>('traces', (items) => writeSpans(source, items))
  const events = queueOf<LoggedEvent>('logs', (items) => writeLogs(source, items))
  const conventional = new Metrics()
  const readings = () => [...deps.metrics.readings(), ...conventional.readings()]
  const meter = sends('metrics')
    ? sendMetrics(source, { ...deps, readings }, limits, outlet('metrics'))
    : undefined
  return {
    onServed: meter && observeGenAi(conventional),
    tracer: createTracer(
      {
        isRecording: spans !== undefined,
        sampleRate: traceSampleRate,
        acceptsParents: traceParents === 'accept',
        upstreams: traceUpstreams,
      },
      { bytes: systemRandom, share: Math.random },
    ),
    onRecord: (record, usage, span) => {
      if (!spans || !span?.isRecorded) return
      for (const each of describeSpans(record, usage, span)) spans.add(each)
    },
    onLog: (event) => events?.add(outgoingEvent(event)),
    stop: async () => {
      await Promise.all([spans?.end(limits.endMs), meter?.stop()])
      await events?.end(limits.endMs)
    },
  }
}

function countersOf(metrics: Metrics): { sent: Counter; dropped: Counter } {
  return {
    sent: metrics.counter(
      'tollgate_telemetry_sent_total',
      'Spans, log events and readings of metrics that the OpenTelemetry collector took.',
      ['signal'],
    ),
    dropped: metrics.counter(
      'tollgate_telemetry_dropped_total',
      'Spans, log events and readings of metrics that did not reach the OpenTelemetry collector.',
      ['signal'],
    ),
  }
}
