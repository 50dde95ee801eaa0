import type { ForwardDeps } from '../charge/settling.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'

/** Tells the client about a fallback model and about warnings. */
export function addTraceHeaders(
  headers: Record<string, string>,
  { facts, trace }: Exchange,
  { candidate: { model } }: Attempt,
  deps: ForwardDeps,
): void {
  if (model.id !== facts.model) headers[deps.modelHeader] = encodeURI(model.id)
  if (trace.warnings.length > 0) headers[deps.warningsHeader] = trace.warnings.join(', ')
}
