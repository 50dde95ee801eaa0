import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'

/** Tells the client about a fallback model, about a wait, about warnings and about its rate limits. */
export function addTraceHeaders(
  headers: Record<string, string>,
  { facts, trace, protocol, permit }: Exchange,
  { candidate: { model } }: Attempt,
  deps: ForwardDeps,
): void {
  if (model.id !== facts.model) headers[deps.modelHeader] = encodeURI(model.id)
  if (trace.queuedMs !== undefined) headers[deps.queueHeader] = String(Math.round(trace.queuedMs))
  if (trace.warnings.length > 0) headers[deps.warningsHeader] = trace.warnings.join(', ')
  if (permit) protocol.addLimitHeaders?.(headers, permit.levels(), deps.clock)
}
