import {
  type Attributes,
  type OtlpSource,
  writeAttributes,
  writeResource,
  writeScope,
  writeTime,
} from './values.ts'

export interface FinishedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceState: string | undefined
  readonly name: string
  readonly kind: 'server' | 'client'
  /** Milliseconds since 1970. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly isError: boolean
}

const kinds = { server: 2, client: 3 } as const
const errorStatus = { code: 2 }
const unsetStatus = {}

/** The body of a request to /v1/traces. */
export function writeSpans(source: OtlpSource, spans: readonly FinishedSpan[]): string {
  const scopeSpans = [{ scope: writeScope(source), spans: spans.map(writeSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource: writeResource(source), scopeSpans }] })
}

function writeSpan(span: FinishedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    traceState: span.traceState,
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: writeTime(span.startMs),
    endTimeUnixNano: writeTime(span.endMs),
    attributes: writeAttributes(span.attributes),
    status: span.isError ? errorStatus : unsetStatus,
  }
}
