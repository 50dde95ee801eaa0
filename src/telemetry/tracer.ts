import type { RandomBytes } from '../core/id.ts'
import type { AttemptSpan, RequestSpan, Tracer } from '../core/telemetry/request-span.ts'
import {
  readTraceParent,
  readTraceState,
  type TraceParent,
  writeTraceParent,
} from '../core/telemetry/trace-context.ts'

export interface TracerSettings {
  /** Whether spans are exported. */
  readonly isRecording: boolean
  /** The share of requests without a trace of their own that begin one. */
  readonly sampleRate: number
  /** Whether the client's trace is continued, with the client's decision to sample it. */
  readonly acceptsParents: boolean
  /** The upstreams that get the trace, or `*` for all. */
  readonly upstreams: readonly string[]
}

const pathCharactersMax = 200
const traceIdBytes = 16
const spanIdBytes = 8

/** Undefined when there is nothing to record and nobody to pass a trace on to. */
export function createTracer(
  { isRecording, sampleRate, acceptsParents, upstreams }: TracerSettings,
  random: { bytes: RandomBytes; share(): number },
): Tracer | undefined {
  if (!isRecording && upstreams.length === 0) return undefined
  const isForAll = upstreams.includes('*')
  const tracedUpstreams = new Set(upstreams)
  const newId = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('hex')
  const begin: Tracer['begin'] = (headers, { method, path, operation }) => {
    const parent = acceptsParents ? readTraceParent(headers.get('traceparent')) : undefined
    const isRecorded = isRecording && (parent ? parent.isSampled : random.share() < sampleRate)
    if (!isRecorded && (!parent || tracedUpstreams.size === 0)) return undefined
    return {
      traceId: parent?.traceId ?? newId(traceIdBytes),
      spanId: newId(spanIdBytes),
      parent,
      traceState: parent && readTraceState(headers.get('tracestate')),
      isRecorded,
      method,
      path: path.slice(0, pathCharactersMax),
      operation,
      attempts: [],
    }
  }
  return {
    begin,
    attempt: (span, facts) => {
      const made: AttemptSpan = { ...facts, spanId: newId(spanIdBytes) }
      span.attempts.push(made)
      const isTraced = isForAll || tracedUpstreams.has(facts.upstreamId)
      return { span: made, headers: isTraced ? headersOf(span, made) : undefined }
    },
  }
}

/** Without a span of its own, the gateway leaves the client's headers as they are. */
function headersOf(span: RequestSpan, { spanId }: AttemptSpan): Readonly<Record<string, string>> {
  const own: TraceParent = { traceId: span.traceId, spanId, isSampled: true }
  const traceparent = writeTraceParent(span.isRecorded ? own : (span.parent ?? own))
  return span.traceState === undefined
    ? { traceparent }
    : { traceparent, tracestate: span.traceState }
}
