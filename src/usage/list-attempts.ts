import type { Engine } from '../store/engine.ts'
import type { AttemptRecord } from './usage-record.ts'

/** Every attempt of one request. A single successful attempt is stored in the usage row itself. */
export async function listAttempts({ db }: Engine, requestId: string): Promise<AttemptRecord[]> {
  const rows = await db
    .selectFrom('attempt')
    .selectAll()
    .where('request_id', '=', requestId)
    .orderBy('ordinal')
    .execute()
  const attempts = rows.length > 0 ? rows : await plainAttempt(db, requestId)
  return attempts.map((row) => ({
    upstreamId: row.upstream_id,
    credential: row.credential ?? undefined,
    status: row.status ?? undefined,
    reason: row.reason ?? undefined,
    firstByteMs: row.first_byte_ms ?? undefined,
    totalMs: row.total_ms,
    note: row.note ?? undefined,
  }))
}

async function plainAttempt(db: Engine['db'], requestId: string) {
  const row = await db
    .selectFrom('usage_row')
    .select(['upstream_id', 'status', 'first_byte_ms', 'total_ms', 'credential', 'note'])
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (!row || row.upstream_id === null) return []
  return [{ ...row, upstream_id: row.upstream_id, reason: null }]
}
