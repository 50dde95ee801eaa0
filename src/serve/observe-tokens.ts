import type { TokenUsage } from '../core/usage.ts'
import type { Metrics } from '../telemetry/metrics.ts'

/** Counts what went in, and how much of it the provider had cached: the share is what staying at one upstream saves. */
export function observeTokens(metrics: Metrics): (protocol: string, usage: TokenUsage) => void {
  const input = metrics.counter(
    'tollgate_input_tokens_total',
    'Input tokens of settled requests, those that the provider had cached included.',
    ['protocol'],
  )
  const cached = metrics.counter(
    'tollgate_cached_tokens_total',
    'Input tokens that the provider had cached, and sells for less.',
    ['protocol'],
  )
  return (protocol, usage) => {
    const { cacheRead, cacheWrite5m, cacheWrite1h } = usage
    input.add([protocol], usage.input + cacheRead + cacheWrite5m + cacheWrite1h)
    if (cacheRead > 0) cached.add([protocol], cacheRead)
  }
}
