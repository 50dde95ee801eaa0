import type { RequestReason } from '../core/codes.ts'
import type { Nano } from '../core/money/money.ts'
import type { RequestSpan } from '../core/telemetry/request-span.ts'
import type { RecordingDraft } from '../recording/draft.ts'
import type { AttemptRecord, UsageRecord } from '../usage/usage-record.ts'
import type { Caller } from './admit/authenticate.ts'
import type { Call } from './call.ts'

/** Facts about a request, collected on its way for its usage row. */
export interface RequestTrace {
  model: string | undefined
  groupId: string | undefined
  isStream: boolean
  firstTokenMs: number | undefined
  /** How long the request waited in the queue, all waits together; undefined if it did not wait. */
  queuedMs: number | undefined
  upstreamRequestId: string | undefined
  warnings: readonly string[]
  readonly attempts: AttemptRecord[]
  /** Undefined when the request is not traced. */
  readonly span: RequestSpan | undefined
  /** Undefined when the bodies are not recorded. */
  recording: RecordingDraft | undefined
}

export function newRequestTrace(span?: RequestSpan): RequestTrace {
  return {
    model: undefined,
    groupId: undefined,
    isStream: false,
    firstTokenMs: undefined,
    queuedMs: undefined,
    upstreamRequestId: undefined,
    warnings: [],
    attempts: [],
    span,
    recording: undefined,
  }
}

/** Records that a reply was too long to be translated with its log probabilities. */
export function noteLostLogprobs(trace: RequestTrace): void {
  const warning = 'logprobs_dropped'
  if (!trace.warnings.includes(warning)) trace.warnings = [...trace.warnings, warning]
}

const clientRequestIdLengthMax = 200
const modelLengthMax = 200

export function usageRecordOf(
  call: Call,
  caller: Caller,
  protocol: string,
  trace: RequestTrace,
  end: { status: number; reason: RequestReason | undefined; costNano: Nano; totalMs: number },
): UsageRecord {
  return {
    requestId: call.requestId,
    at: call.receivedAtMs,
    accountId: caller.account.id,
    keyId: caller.key.id,
    model: trace.model === undefined ? undefined : storable(trace.model, modelLengthMax),
    protocol,
    groupId: trace.groupId,
    isStream: trace.isStream,
    status: end.status,
    reason: end.reason,
    costNano: end.costNano,
    firstTokenMs: trace.firstTokenMs,
    totalMs: end.totalMs,
    queuedMs: trace.queuedMs,
    clientAddress: call.address,
    clientRequestId: call.headers.get('x-client-request-id')?.slice(0, clientRequestIdLengthMax),
    upstreamId: answeredBy(trace),
    upstreamRequestId: trace.upstreamRequestId,
    warnings: trace.warnings,
    attempts: trace.attempts,
  }
}

function answeredBy({ attempts }: RequestTrace): string | undefined {
  const last = attempts[attempts.length - 1]
  return last && last.reason === undefined ? last.upstreamId : undefined
}

const plain = /^[\x20-\x7e]*$/

/** Makes a client's text storable in every database: Postgres rejects NUL, and a lone surrogate is not valid text. */
function storable(text: string, lengthMax: number): string {
  if (text.length <= lengthMax && plain.test(text)) return text
  return text.slice(0, lengthMax).replaceAll('\0', '\ufffd').toWellFormed()
}
