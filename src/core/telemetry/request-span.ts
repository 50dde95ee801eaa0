import type { TraceParent } from './trace-context.ts'

/** The place of a request in a trace. */
export interface RequestSpan {
  readonly traceId: string
  readonly spanId: string
  /** The span of the client, if it sent one. */
  readonly parent: TraceParent | undefined
  readonly traceState: string | undefined
  /** False: the gateway only passes the client's trace on to upstreams. */
  readonly isRecorded: boolean
  readonly method: string
  readonly path: string
  /** The operation in the conventions for generative models; undefined for other requests. */
  readonly operation: string | undefined
  readonly attempts: AttemptSpan[]
}

/** One attempt at an upstream. Times are milliseconds since the arrival of the request. */
export interface AttemptSpan {
  readonly spanId: string
  readonly upstreamId: string
  readonly provider: string
  /** The upstream's id of the model. */
  readonly model: string
  readonly url: string
  readonly startMs: number
  end?: {
    readonly ms: number
    /** The upstream's status; undefined when it did not answer. */
    readonly status: number | undefined
    readonly reason: string | undefined
  }
}

/** Decides which requests are traced, and which upstreams learn of it. */
export interface Tracer {
  /** Undefined when the request is not traced. */
  begin(
    headers: Headers,
    request: Pick<RequestSpan, 'method' | 'path' | 'operation'>,
  ): RequestSpan | undefined
  /** Begins an attempt. Returns the headers for the upstream; undefined when it gets none. */
  attempt(
    span: RequestSpan,
    facts: Omit<AttemptSpan, 'spanId'>,
  ): { readonly span: AttemptSpan; readonly headers: Readonly<Record<string, string>> | undefined }
}
