import { Fault } from '../../core/fault.ts'
import type { LimitHeaders } from '../../core/limits/rate-limit.ts'
import type { ForwardDeps } from '../charge/settle.ts'
import type { Exchange } from '../exchange.ts'
import type { Attempt } from '../forward/attempt.ts'

/** The rate limits as clients of the protocol read them; undefined without any. */
export function limitHeadersOf({ protocol, permit }: Exchange): LimitHeaders | undefined {
  const headers = protocol.limitHeaders
  return permit && headers && { headers, levels: permit.levels() }
}

/** Tells the client about a fallback model, about a wait and about warnings. */
export function addTraceHeaders(
  headers: Record<string, string>,
  { facts, trace }: Exchange,
  { candidate: { model } }: Attempt,
  deps: ForwardDeps,
): void {
  if (model.id !== facts.model) headers[deps.modelHeader] = encodeURI(model.id)
  Object.assign(headers, queueHeaderOf(trace, deps))
  if (trace.warnings.length > 0) headers[deps.warningsHeader] = trace.warnings.join(', ')
}

/**
 * The fault of a request that has waited or has rate limits, with the headers that a success would have. In a fault with
 * status 429 they would describe a limit with something left.
 */
export function withTraceHeaders(fault: Fault, exchange: Exchange, deps: ForwardDeps): Fault {
  const waited = queueHeaderOf(exchange.trace, deps)
  const levels = fault.status === 429 ? undefined : limitHeadersOf(exchange)
  if (!waited && !levels) return fault
  const { code, message, details } = fault
  const headers = { ...details.headers, ...waited }
  return new Fault(code, message, {
    ...details,
    headers,
    limitHeaders: details.limitHeaders ?? levels,
  })
}

function queueHeaderOf(
  { queuedMs }: Exchange['trace'],
  { queueHeader }: ForwardDeps,
): Readonly<Record<string, string>> | undefined {
  return queuedMs === undefined ? undefined : { [queueHeader]: String(Math.round(queuedMs)) }
}
