import { inOrder, type Shape, type ShapedRecord } from '../store/shape.ts'
import type { UsageRecord } from './usage-record.ts'

/** One row per request that passed authentication. */
export const usageShape: Shape = {
  name: 'usage-1',
  statements: [
    {
      sql: `INSERT INTO usage_row
        (request_id, at, account_id, key_id, model, protocol, group_id, stream, status, reason, cost_nano,
         first_token_ms, total_ms, client_address, client_request_id, upstream_id, upstream_request_id,
         warnings)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (request_id) DO NOTHING`,
      from: inOrder(18),
    },
  ],
}

/** One row per try, when there is more to tell than that the first one succeeded. */
export const attemptShape: Shape = {
  name: 'attempt-1',
  statements: [
    {
      sql: `INSERT INTO attempt
        (request_id, ordinal, upstream_id, status, reason, first_byte_ms, total_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (request_id, ordinal) DO NOTHING`,
      from: inOrder(7),
    },
  ],
}

/** What the log must get about one request. */
export function usageRecords(record: UsageRecord): ShapedRecord[] {
  const row: ShapedRecord = [
    usageShape.name,
    record.requestId,
    record.at,
    record.accountId,
    record.keyId,
    record.model === undefined ? null : storable(record.model),
    record.protocol,
    record.groupId ?? null,
    record.isStream ? 1 : 0,
    record.status,
    record.reason ?? null,
    Number(record.costNano),
    roundMs(record.firstTokenMs),
    Math.round(record.totalMs),
    record.clientAddress,
    record.clientRequestId ?? null,
    record.upstreamId ?? null,
    record.upstreamRequestId ?? null,
    record.warnings.length === 0 ? null : record.warnings.join(','),
  ]
  // A first try that succeeded is told by the row itself.
  const isPlain = record.attempts.length === 1 && record.attempts[0]?.reason === undefined
  return isPlain ? [row] : [row, ...attemptRecords(record)]
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
  ])
}

/** A caller may name any text as the model; Postgres takes no zero character, and a refused record would block others. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd')
}

function roundMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}
