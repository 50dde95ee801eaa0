import type { Nano } from '../core/money.ts'
import type { Statement } from '../store/engine.ts'

/** One try at one upstream. */
export interface AttemptRecord {
  readonly upstreamId: string
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly firstByteMs: number | undefined
  readonly totalMs: number
}

/** What the log says about one request that passed authentication. */
export interface UsageRecord {
  readonly requestId: string
  readonly at: number
  readonly accountId: string
  readonly keyId: string
  readonly model: string | undefined
  readonly protocol: string
  readonly groupId: string | undefined
  readonly isStream: boolean
  readonly status: number
  readonly reason: string | undefined
  readonly costNano: Nano
  readonly firstTokenMs: number | undefined
  readonly totalMs: number
  readonly clientAddress: string
  readonly clientRequestId: string | undefined
  /** The upstream that answered. */
  readonly upstreamId: string | undefined
  readonly upstreamRequestId: string | undefined
  readonly warnings: readonly string[]
  readonly attempts: readonly AttemptRecord[]
}

const insertRow = `INSERT INTO usage_row
  (request_id, at, account_id, key_id, model, protocol, group_id, stream, status, reason, cost_nano,
   first_token_ms, total_ms, client_address, client_request_id, upstream_id, upstream_request_id, warnings)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id) DO NOTHING`
const insertAttempt = `INSERT INTO attempt
  (request_id, ordinal, upstream_id, status, reason, first_byte_ms, total_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (request_id, ordinal) DO NOTHING`

/** The statements that write a record; they join the transaction that settles the request. */
export function usageStatements(record: UsageRecord): Statement[] {
  const row: Statement = {
    sql: insertRow,
    values: [
      record.requestId,
      record.at,
      record.accountId,
      record.keyId,
      record.model ?? null,
      record.protocol,
      record.groupId ?? null,
      record.isStream ? 1 : 0,
      record.status,
      record.reason ?? null,
      record.costNano,
      roundMs(record.firstTokenMs),
      Math.round(record.totalMs),
      record.clientAddress,
      record.clientRequestId ?? null,
      record.upstreamId ?? null,
      record.upstreamRequestId ?? null,
      record.warnings.length === 0 ? null : record.warnings.join(','),
    ],
  }
  // A first try that succeeded is told by the row itself; only a story of several is written out.
  const isPlain = record.attempts.length === 1 && record.attempts[0]?.reason === undefined
  if (isPlain) return [row]
  const attempts = record.attempts.map((attempt, ordinal) => ({
    sql: insertAttempt,
    values: [
      record.requestId,
      ordinal,
      attempt.upstreamId,
      attempt.status ?? null,
      attempt.reason ?? null,
      roundMs(attempt.firstByteMs),
      Math.round(attempt.totalMs),
    ],
  }))
  return [row, ...attempts]
}

function roundMs(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms)
}
