import type { Counter, Metrics } from '../../telemetry/metrics.ts'

/** Only a supervisor counts here. Other processes show the metric as 0, so that there is one list of metrics. */
export function registerRestarts(metrics: Metrics): Counter {
  const restarts = metrics.counter(
    'tollgate_worker_restarts_total',
    'Workers that ended without being asked to and were started again.',
    [],
  )
  restarts.add([], 0)
  return restarts
}
