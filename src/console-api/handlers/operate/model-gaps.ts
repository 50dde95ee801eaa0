import { sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { ModelGaps } from '../../contract.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'

const lookBackMs = 7 * 24 * 60 * 60 * 1000
/** Limit of rows that are searched for models that were not found. */
const rowsMax = 20_000
const missedMax = 20

/** Models that cannot be called: without a price, without a route, or requested but unknown. */
export async function readModelGaps({ deps }: SignedInCall): Promise<JsonAnswer<ModelGaps>> {
  const { db } = deps.engine
  const nowMs = deps.clock.nowMs()
  const hasPrice = sql<boolean>`EXISTS (SELECT 1 FROM price_version p
    WHERE p.model_id = m.id AND p.valid_from <= ${nowMs})`
  const hasRoute = sql<boolean>`EXISTS (SELECT 1 FROM route r WHERE r.model_id = m.id)`
  const models = db.selectFrom('model as m').select('m.id').orderBy('m.id')
  const newest = db
    .selectFrom('usage_row')
    .select(['at', 'model', 'reason'])
    .where('request_id', '>=', firstRequestIdAt(nowMs - lookBackMs))
    .orderBy('request_id', 'desc')
    .limit(rowsMax)
  const [unpriced, unrouted, missed] = await Promise.all([
    models.where(hasRoute).where(sql<boolean>`NOT ${hasPrice}`).execute(),
    models.where(sql<boolean>`NOT ${hasRoute}`).execute(),
    db
      .selectFrom(newest.as('u'))
      .select([
        'u.model',
        sql<number>`COUNT(*)`.as('requests'),
        sql<number>`MAX(u.at)`.as('last_at'),
      ])
      .where('u.reason', '=', 'model_not_found')
      .where('u.model', 'is not', null)
      .groupBy('u.model')
      .orderBy('requests', 'desc')
      .orderBy('u.model')
      .limit(missedMax)
      .execute(),
  ])
  return {
    body: {
      unpriced: unpriced.map((row) => row.id),
      unrouted: unrouted.map((row) => row.id),
      missed: missed.map((row) => ({
        model: row.model ?? '',
        requests: row.requests,
        lastAt: row.last_at,
      })),
    },
  }
}
