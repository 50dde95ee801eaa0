import type { Engine } from '../../../store/engine.ts'
import { readFeaturePrices, readFeatureUses } from '../../../store/price-row.ts'
import { listAttempts } from '../../../usage/list-attempts.ts'
import type { AttemptRecord } from '../../../usage/usage-record.ts'
import type { UsageAttempt, UsagePrice, UsageStory } from '../../contract.ts'
import { Refusal } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { scaledFeatures } from '../models/scaled-price.ts'
import { describeUsageRow, usageQuery } from './usage-query.ts'

/** All that is known of one request: what it cost and why, and every try at an upstream. */
export async function readUsageStory(call: SignedInCall): Promise<JsonAnswer<UsageStory>> {
  const { engine } = call.parts
  const row = await findRow(engine, call.id)
  if (!row) throw new Refusal('not_found', 'There is no such request in the log.')
  const attempts = await listAttempts(engine, call.id)
  const { isAdmin } = call.session
  const isTold = isAdmin || call.parts.showsUpstreamsToMembers
  return {
    body: {
      ...describeUsageRow(row),
      accountName: row.account_name ?? row.account_id,
      keyHint: row.value_hint,
      price: await readPrice(engine, row.price_version_id, row.factor_micro),
      features: readFeatureUses(row.features) ?? {},
      usageSource: row.usage_source,
      flags: row.flags ? row.flags.split(',') : [],
      clientAddress: row.client_address,
      clientRequestId: row.client_request_id,
      upstream: isTold ? row.upstream_id : null,
      upstreamRequestId: isTold ? row.upstream_request_id : null,
      warnings: row.warnings === null ? [] : row.warnings.split(','),
      attempts: attempts
        .map(describeAttempt)
        .map((attempt) => (isAdmin ? attempt : { ...attempt, credential: null }))
        // A note tells what was changed for the upstream, by the names that it has for things.
        .map((attempt) => (isTold ? attempt : { ...attempt, upstream: null, note: null })),
    },
  }
}

function findRow(engine: Engine, id: string) {
  return usageQuery(engine)
    .leftJoin('account as a', 'a.id', 'u.account_id')
    .select([
      'a.name as account_name',
      'k.value_hint',
      'e.price_version_id',
      'e.factor_micro',
      'e.usage_source',
      'e.flags',
      'e.features',
      'u.client_address',
      'u.client_request_id',
      'u.upstream_id',
      'u.upstream_request_id',
      'u.warnings',
    ])
    .where('u.request_id', '=', id)
    .executeTakeFirst()
}

async function readPrice(
  { db }: Engine,
  versionId: string | null,
  factorMicro: number | null,
): Promise<UsagePrice | null> {
  if (versionId === null || factorMicro === null) return null
  const row = await db
    .selectFrom('price_version')
    .selectAll()
    .where('id', '=', versionId)
    .executeTakeFirst()
  if (!row) return null
  return {
    versionId,
    inputNano: String(row.input_nano),
    cacheReadNano: String(row.cache_read_nano),
    cacheWrite5mNano: String(row.cache_write_5m_nano),
    cacheWrite1hNano: String(row.cache_write_1h_nano),
    outputNano: String(row.output_nano),
    requestNano: String(row.request_nano),
    features: scaledFeatures(readFeaturePrices(row.features)),
    factorMicro,
  }
}

function describeAttempt(attempt: AttemptRecord): UsageAttempt {
  return {
    upstream: attempt.upstreamId,
    credential: attempt.credential ?? null,
    status: attempt.status ?? null,
    reason: attempt.reason ?? null,
    note: attempt.note ?? null,
    firstByteMs: attempt.firstByteMs ?? null,
    totalMs: attempt.totalMs,
  }
}
