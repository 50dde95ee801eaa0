import type { Clock } from '../../../core/time/clock.ts'
import { waitAtMost } from '../../../core/time/wait-at-most.ts'
import type { MetricReading } from '../../../telemetry/metrics.ts'
import type { ExportQueueOptions } from '../../../telemetry/otlp/export-queue.ts'
import type { OtlpSource } from '../../../telemetry/otlp/values.ts'
import { writeMetrics } from '../../../telemetry/otlp/write-metrics.ts'

/** All metrics at fixed times. A reading that was not taken is not repeated: the next one includes it. */
export function sendMetrics(
  source: OtlpSource,
  { readings, clock }: { readings: () => MetricReading[]; clock: Clock },
  { metricsEveryMs, endMs }: { metricsEveryMs: number; endMs: number },
  { post, onSent, onDropped }: Pick<ExportQueueOptions<never>, 'post' | 'onSent' | 'onDropped'>,
): { stop(): Promise<void> } {
  const startMs = clock.nowMs()
  let running: Promise<void> | undefined
  const send = async (): Promise<void> => {
    const times = { startMs, nowMs: clock.nowMs() }
    const outcome = await post(writeMetrics(source, readings(), times))
    if (outcome.kind === 'taken') onSent(1)
    else onDropped(1, outcome.why)
  }
  const begin = (): void => {
    running ??= send().finally(() => {
      running = undefined
    })
  }
  const timer = setInterval(begin, metricsEveryMs)
  timer.unref()
  return {
    stop: async () => {
      clearInterval(timer)
      begin()
      await waitAtMost(running, endMs)
    },
  }
}
