import { sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'

const dayMs = 24 * 60 * 60 * 1000
/** So many of the newest requests are looked at: it is about how upstreams do now. */
const rowsMax = 50_000

export interface Spend {
  readonly requests: number
  readonly errors: number
  readonly costNano: string
  readonly firstTokenMs: number | null
}

export const noSpend: Spend = { requests: 0, errors: 0, costNano: '0', firstTokenMs: null }

export interface SpendReading {
  /** Where the look ended. */
  readonly fromMs: number
  readonly byUpstream: ReadonlyMap<string, Spend>
}

/** What the newest requests of a day have cost at each upstream. */
export async function spendOfUpstreams({ db }: Engine, nowMs: number): Promise<SpendReading> {
  const newest = db
    .selectFrom('usage_row')
    .select(['at', 'upstream_id', 'reason', 'cost_nano', 'first_token_ms'])
    .where('request_id', '>=', firstRequestIdAt(nowMs - dayMs))
    .orderBy('request_id', 'desc')
  const rows = await db
    .selectFrom(newest.limit(rowsMax).as('u'))
    .select([
      'u.upstream_id',
      sql<number>`COUNT(*)`.as('requests'),
      sql<number>`COUNT(u.reason)`.as('errors'),
      sql<bigint>`CAST(SUM(u.cost_nano) AS BIGINT)`.as('cost_nano'),
      sql<number>`COUNT(u.first_token_ms)`.as('first_tokens'),
      sql<number>`CAST(COALESCE(SUM(u.first_token_ms), 0) AS BIGINT)`.as('first_token_ms'),
    ])
    .where('u.upstream_id', 'is not', null)
    .groupBy('u.upstream_id')
    .execute()
  const last = await newest
    .offset(rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  return {
    fromMs: last?.at ?? nowMs - dayMs,
    byUpstream: new Map(
      rows.map((row) => [
        row.upstream_id ?? '',
        {
          requests: row.requests,
          errors: row.errors,
          costNano: String(row.cost_nano),
          firstTokenMs:
            row.first_tokens === 0 ? null : Math.round(row.first_token_ms / row.first_tokens),
        },
      ]),
    ),
  }
}
