import type { LimitHeaders } from '../../core/limits/rate-limit.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'

/** The rate limits as clients of the protocol read them; undefined without any. */
export function limitHeadersOf(
  { protocol, permit }: Exchange,
  { clock }: ForwardDeps,
): LimitHeaders | undefined {
  return permit && protocol.limitHeaders?.(permit.levels(), clock)
}

/** Tells the client about a fallback model, about a wait and about warnings. */
export function addTraceHeaders(
  headers: Record<string, string>,
  { facts, trace }: Exchange,
  { candidate: { model } }: Attempt,
  deps: ForwardDeps,
): void {
  if (model.id !== facts.model) headers[deps.modelHeader] = encodeURI(model.id)
  if (trace.queuedMs !== undefined) headers[deps.queueHeader] = String(Math.round(trace.queuedMs))
  if (trace.warnings.length > 0) headers[deps.warningsHeader] = trace.warnings.join(', ')
}
