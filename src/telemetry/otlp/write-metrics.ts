import type { MetricReading } from '../metrics.ts'
import { type OtlpSource, writeAttributes, writeResource, writeScope, writeTime } from './values.ts'

/** Values count from the start of the process. */
const cumulative = 2

/** The body of a request to /v1/metrics. */
export function writeMetrics(
  source: OtlpSource,
  readings: readonly MetricReading[],
  { startMs, nowMs }: { startMs: number; nowMs: number },
): string {
  const times = { startTimeUnixNano: writeTime(startMs), timeUnixNano: writeTime(nowMs) }
  const metrics = readings.map((reading) => writeMetric(reading, times))
  const scopeMetrics = [{ scope: writeScope(source), metrics }]
  return JSON.stringify({ resourceMetrics: [{ resource: writeResource(source), scopeMetrics }] })
}

/** An attribute without a value, such as the error of a success, is left out. */
function present(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''))
}

function writeMetric({ name, type, help, unit, points }: MetricReading, times: object): object {
  const dataPoints = points.map((point) => {
    const attributes = writeAttributes(present(point.labels))
    if (!('counts' in point)) return { ...times, attributes, asDouble: point.value }
    const { bounds, counts, sum, count } = point
    const inside = counts.reduce((total, each) => total + each, 0)
    const bucketCounts = [...counts, count - inside].map(String)
    return { ...times, attributes, count: String(count), sum, explicitBounds: bounds, bucketCounts }
  })
  const about = { name, description: help, ...(unit !== undefined && { unit }) }
  switch (type) {
    case 'gauge':
      return { ...about, gauge: { dataPoints } }
    case 'counter':
      return {
        ...about,
        sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true },
      }
    case 'histogram':
      return { ...about, histogram: { dataPoints, aggregationTemporality: cumulative } }
  }
}
