/* The headers traceparent and tracestate of W3C Trace Context. */

export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the span of the sender. */
  readonly spanId: string
  readonly isSampled: boolean
}

const parentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const nothing = /^0+$/
const stateCharactersMax = 512
const statePattern = /^[\x20-\x7e]+$/

/** Undefined for a header that is missing or invalid: then a new trace begins. */
export function readTraceParent(text: string | null): TraceParent | undefined {
  if (text === null) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = parentPattern.exec(text) ?? []
  if (version === undefined || nothing.test(traceId) || nothing.test(spanId)) return undefined
  // Only later versions may have more fields.
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function writeTraceParent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** The state is passed on unchanged, unless it is too long or has characters that a header must not have. */
export function readTraceState(text: string | null): string | undefined {
  if (text === null || text.length > stateCharactersMax) return undefined
  return statePattern.test(text) ? text : undefined
}
