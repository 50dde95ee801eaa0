import type { Engine } from '../../store/engine.ts'
import type { UsageAttempt, UsagePrice, UsageStory } from '../contract.ts'
import { Refusal } from '../refusal.ts'
import type { Answer, SignedInCall } from '../route.ts'
import { describeUsageRow, usageQuery } from './usage-query.ts'

/** All that is known of one request: what it cost and why, and every try at an upstream. */
export async function readUsageStory({ parts, id }: SignedInCall): Promise<Answer<UsageStory>> {
  const { engine } = parts
  const row = await usageQuery(engine)
    .select([
      'e.price_version_id',
      'e.factor_micro',
      'e.usage_source',
      'u.client_address',
      'u.client_request_id',
      'u.upstream_id',
      'u.upstream_request_id',
      'u.warnings',
    ])
    .where('u.request_id', '=', id)
    .executeTakeFirst()
  if (!row) throw new Refusal('not_found', 'There is no such request in the log.')
  return {
    body: {
      ...describeUsageRow(row),
      price: await readPrice(engine, row.price_version_id, row.factor_micro),
      usageSource: row.usage_source,
      clientAddress: row.client_address,
      clientRequestId: row.client_request_id,
      upstream: row.upstream_id,
      upstreamRequestId: row.upstream_request_id,
      warnings: row.warnings === null ? [] : row.warnings.split(','),
      attempts: await listAttempts(engine, id),
    },
  }
}

async function readPrice(
  engine: Engine,
  versionId: string | null,
  factorMicro: number | null,
): Promise<UsagePrice | null> {
  if (versionId === null || factorMicro === null) return null
  const row = await engine.db
    .selectFrom('price_version')
    .selectAll()
    .where('id', '=', versionId)
    .executeTakeFirst()
  if (!row) return null
  return {
    inputNano: String(row.input_nano),
    cacheReadNano: String(row.cache_read_nano),
    cacheWrite5mNano: String(row.cache_write_5m_nano),
    cacheWrite1hNano: String(row.cache_write_1h_nano),
    outputNano: String(row.output_nano),
    requestNano: String(row.request_nano),
    factorMicro,
  }
}

async function listAttempts(engine: Engine, requestId: string): Promise<UsageAttempt[]> {
  const rows = await engine.db
    .selectFrom('attempt')
    .selectAll()
    .where('request_id', '=', requestId)
    .orderBy('ordinal')
    .execute()
  return rows.map((row) => ({
    upstream: row.upstream_id,
    status: row.status,
    reason: row.reason,
    firstByteMs: row.first_byte_ms,
    totalMs: row.total_ms,
  }))
}
