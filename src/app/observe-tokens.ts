import type { TokenUsage } from '../core/usage.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Counts input, cached input and output tokens. The cached share shows what sticky routing saves. */
export function observeTokens(
  metrics: Metrics,
): (labels: readonly [protocol: string, model: string], usage: TokenUsage) => void {
  const labelNames = ['protocol', 'model']
  const input = metrics.counter(
    'tollgate_input_tokens_total',
    'Input tokens of settled requests, including cached tokens.',
    labelNames,
  )
  const cached = metrics.counter(
    'tollgate_cached_tokens_total',
    'Input tokens that were read from the provider’s cache.',
    labelNames,
  )
  const output = metrics.counter(
    'tollgate_output_tokens_total',
    'Output tokens of settled requests, including reasoning.',
    labelNames,
  )
  return (labels, usage) => {
    const { cacheRead, cacheWrite5m, cacheWrite1h } = usage
    input.add(labels, usage.input + cacheRead + cacheWrite5m + cacheWrite1h)
    output.add(labels, usage.output)
    if (cacheRead > 0) cached.add(labels, cacheRead)
  }
}
