import { priceAt } from '../../../core/money/price.ts'
import { promptOf } from '../../../core/money/usage.ts'
import type { Engine } from '../../../store/engine.ts'
import { priceOfRow, readFeatureUses } from '../../../store/rows/price-row.ts'
import { listAttempts } from '../../../usage/list-attempts.ts'
import { readNote } from '../../../usage/read-note.ts'
import type { AttemptRecord } from '../../../usage/usage-record.ts'
import type { UsageAttempt, UsageDetail, UsagePrice } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { scaledFeatures } from '../models/scaled-price.ts'
import { describeUsageRow, usageQuery } from './usage-query.ts'

/** All details of one request: its cost and every attempt. */
export async function readUsageDetail(call: SignedInCall): Promise<JsonAnswer<UsageDetail>> {
  const { engine } = call.deps
  const row = await findRow(engine, call.id)
  if (!row) throw new ApiRefusal('not_found', 'This request is not in the request log.')
  const attempts = await listAttempts(engine, call.id)
  const described = describeUsageRow(row)
  const { isAdmin } = call.session
  const showsUpstream = isAdmin || call.deps.showsUpstreamsToMembers
  return {
    body: {
      ...described,
      accountName: row.account_name ?? row.account_id,
      // A key that became a service key since then has another value.
      keyHint: row.former_owner === null ? row.value_hint : null,
      price: await readPrice(engine, row, described.tokens),
      features: readFeatureUses(row.features) ?? {},
      usageSource: row.usage_source,
      flags: row.flags ? row.flags.split(',') : [],
      queuedMs: row.queued_ms,
      clientAddress: row.client_address,
      clientRequestId: row.client_request_id,
      upstream: showsUpstream ? row.upstream_id : null,
      upstreamRequestId: showsUpstream ? row.upstream_request_id : null,
      warnings: row.warnings === null ? [] : row.warnings.split(','),
      attempts: attempts
        .map(describeAttempt)
        .map((attempt) => (isAdmin ? attempt : { ...attempt, credential: null }))
        // A note contains names of the upstream.
        .map((attempt) => (showsUpstream ? attempt : { ...attempt, upstream: null, note: null })),
    },
  }
}

function findRow(engine: Engine, id: string) {
  return usageQuery(engine.db)
    .leftJoin('account as a', 'a.id', 'u.account_id')
    .select([
      'a.name as account_name',
      'k.value_hint',
      'f.user_id as former_owner',
      'e.price_version_id',
      'e.factor_micro',
      'e.usage_source',
      'e.flags',
      'e.features',
      'u.queued_ms',
      'u.client_address',
      'u.client_request_id',
      'u.upstream_id',
      'u.upstream_request_id',
      'u.warnings',
    ])
    .where('u.request_id', '=', id)
    .executeTakeFirst()
}

/** The token prices of the request: those of its tier for long prompts. */
async function readPrice(
  { db }: Engine,
  entry: { readonly price_version_id: string | null; readonly factor_micro: number | null },
  tokens: UsageDetail['tokens'],
): Promise<UsagePrice | null> {
  const { price_version_id: versionId, factor_micro: factorMicro } = entry
  if (versionId === null || factorMicro === null) return null
  const row = await db
    .selectFrom('price_version')
    .selectAll()
    .where('id', '=', versionId)
    .executeTakeFirst()
  if (!row) return null
  const listed = priceOfRow(row)
  const promptTokens = tokens === null ? 0 : promptOf(tokens)
  const price = priceAt(listed, promptTokens)
  const step = listed.tiers?.findLast(({ aboveTokens }) => promptTokens > aboveTokens)
  return {
    versionId,
    inputNano: String(price.inputNano),
    cacheReadNano: String(price.cacheReadNano),
    cacheWrite5mNano: String(price.cacheWrite5mNano),
    cacheWrite1hNano: String(price.cacheWrite1hNano),
    outputNano: String(price.outputNano),
    requestNano: String(price.requestNano),
    features: scaledFeatures(price.features ?? {}),
    longPromptAbove: step?.aboveTokens ?? null,
    factorMicro,
  }
}

function describeAttempt(attempt: AttemptRecord): UsageAttempt {
  return {
    upstream: attempt.upstreamId,
    credential: attempt.credential ?? null,
    status: attempt.status ?? null,
    reason: attempt.reason ?? null,
    note: attempt.note === undefined ? null : readNote(attempt.note),
    firstByteMs: attempt.firstByteMs ?? null,
    totalMs: attempt.totalMs,
  }
}
