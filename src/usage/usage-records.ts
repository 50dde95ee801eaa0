import { noUsage, type TokenUsage } from '../core/money/usage.ts'
import type { ShapedRecord } from '../store/units/shape.ts'
import { hourMs } from './usage-hour-sql.ts'
import type { AttemptRecord, UsageRecord } from './usage-record.ts'
import { attemptShape, usageShape } from './usage-shapes.ts'

/** The records of one request for the log. The tokens are for the sums; the entry stores them as well. */
export function usageRecords(record: UsageRecord, usage: TokenUsage = noUsage): ShapedRecord[] {
  const plain = plainAttempt(record)
  const row: ShapedRecord = [
    usageShape.name,
    record.requestId,
    record.at,
    record.accountId,
    record.keyId,
    storable(record.model),
    record.protocol,
    record.groupId ?? null,
    record.isStream ? 1 : 0,
    record.status,
    record.reason ?? null,
    Number(record.costNano),
    roundMs(record.firstTokenMs),
    Math.round(record.totalMs),
    record.clientAddress,
    storable(record.clientRequestId),
    record.upstreamId ?? null,
    storable(record.upstreamRequestId),
    record.warnings.length === 0 ? null : storable(record.warnings.join(',')),
    plain?.credential ?? null,
    storable(plain?.note?.slice(0, noteLengthMax)),
    roundMs(plain?.firstByteMs),
    roundMs(record.queuedMs),
    record.at - (record.at % hourMs),
    isError(record) ? 1 : 0,
    record.firstTokenMs === undefined ? 0 : 1,
    usage.input,
    usage.cacheRead,
    usage.cacheWrite5m,
    usage.cacheWrite1h,
    usage.output,
    usage.reasoning,
  ]
  return plain ? [row] : [row, ...attemptRecords(record)]
}

const noteLengthMax = 500

/** An explained request got the answer that it asked for, so it is not an error. */
function isError({ reason }: UsageRecord): boolean {
  return reason !== undefined && reason !== 'explained'
}

/** A single successful attempt, as nearly all requests have, is stored in the usage row itself. */
function plainAttempt({ attempts }: UsageRecord): AttemptRecord | undefined {
  const [first] = attempts
  return attempts.length === 1 && first?.reason === undefined ? first : undefined
}

function attemptRecords({ requestId, attempts }: UsageRecord): ShapedRecord[] {
  return attempts.map((attempt, ordinal) => [
    attemptShape.name,
    requestId,
    ordinal,
    attempt.upstreamId,
    attempt.status ?? null,
    attempt.reason ?? null,
    roundMs(attempt.firstByteMs),
    Math.round(attempt.totalMs),
    attempt.credential ?? null,
    storable(attempt.note?.slice(0, noteLengthMax)),
  ])
}

/**
 * Clients and upstreams choose these texts. Postgres accepts no zero character and no lone surrogate, and a refused
 * record would block others.
 */
function storable(text: string | undefined): string | null {
  if (text === undefined) return null
  // Nearly all texts are storable as they are.
  if (text.isWellFormed() && !text.includes('\u0000')) return text
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}

function roundMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}
