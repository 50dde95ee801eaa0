import { sql } from 'kysely'
import { firstRequestIdAt } from '../../../core/id.ts'
import type { Engine } from '../../../store/engine.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Limit of requests that are read: only recent behaviour matters. */
const rowsMax = 50_000

export interface Spend {
  readonly requests: number
  readonly errors: number
  readonly costNano: string
  readonly firstTokenMs: number | null
}

export const noSpend: Spend = { requests: 0, errors: 0, costNano: '0', firstTokenMs: null }

/** A request that succeeded at its first attempt has no attempt rows: its own row names the upstream. */
const triedUpstream = sql<string | null>`COALESCE(a.upstream_id, u.upstream_id)`
/** Cost and time to first token belong to the attempt that succeeded. */
const hasAnswered = sql<boolean>`(a.request_id IS NULL OR a.reason IS NULL)`

export interface SpendReading {
  /** Start of the period that was read. */
  readonly fromMs: number
  readonly byUpstream: ReadonlyMap<string, Spend>
}

/** Cost and number of attempts of each upstream, from the newest requests of a day. Failed attempts count. */
export async function spendOfUpstreams({ db }: Engine, nowMs: number): Promise<SpendReading> {
  const newest = db
    .selectFrom('usage_row')
    .select(['request_id', 'at', 'upstream_id', 'cost_nano', 'first_token_ms'])
    .where('request_id', '>=', firstRequestIdAt(nowMs - dayMs))
    .orderBy('request_id', 'desc')
  const rows = await db
    .selectFrom(newest.limit(rowsMax).as('u'))
    .leftJoin('attempt as a', 'a.request_id', 'u.request_id')
    .select([
      triedUpstream.as('tried_id'),
      sql<number>`COUNT(*)`.as('requests'),
      sql<number>`COUNT(a.reason)`.as('errors'),
      sql<bigint>`CAST(SUM(CASE WHEN ${hasAnswered} THEN u.cost_nano ELSE 0 END) AS BIGINT)`.as(
        'cost_nano',
      ),
      sql<number>`COUNT(CASE WHEN ${hasAnswered} THEN u.first_token_ms END)`.as('first_tokens'),
      sql<number>`CAST(COALESCE(SUM(CASE WHEN ${hasAnswered} THEN u.first_token_ms END), 0) AS BIGINT)`.as(
        'first_token_ms',
      ),
    ])
    .where(triedUpstream, 'is not', null)
    .groupBy(triedUpstream)
    .execute()
  const last = await newest
    .offset(rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  return {
    fromMs: last?.at ?? nowMs - dayMs,
    byUpstream: new Map(
      rows.map((row) => [
        row.tried_id ?? '',
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
