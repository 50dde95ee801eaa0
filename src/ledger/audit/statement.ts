import { sql } from 'kysely'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import { balancesOf, type Period, type PeriodPart, partOf } from './statement-balance.ts'
import { type IdRange, idRanges } from './statement-ranges.ts'

export interface StatementCredit {
  readonly atMs: number
  readonly amountNano: Nano
  readonly source: string
  readonly externalId: string
  /** A reversal has the reason of the credit that it reverses. */
  readonly reason: string
  readonly isReversal: boolean
}

export interface SpendingLine {
  readonly day: string
  readonly keyId: string
  readonly requests: number
  readonly costNano: Nano
}

/** Credits, spending and balance of an account, all from the same state of the database. */
export interface Statement {
  readonly accountId: string
  /** Credits minus spending before the period. */
  readonly openingNano: Nano
  readonly credits: readonly StatementCredit[]
  /** Sorted by day, then by key. */
  readonly spending: readonly SpendingLine[]
  /** Opening balance plus credits minus spending. */
  readonly closingNano: Nano
  /** Credits minus spending after the period. */
  readonly sinceNano: Nano
  readonly availableNano: Nano
  /** The unused money of open leases. */
  readonly leasedNano: Nano
  /** The part that the lines do not explain: zero unless the ledger is wrong. */
  readonly differenceNano: Nano
}

interface Row {
  kind: 'available' | 'leased' | 'credit' | 'spent'
  part: PeriodPart
  day: string
  key_id: string
  count: number
  amount_nano: bigint
  at: number
  source: string
  external_id: string
  reason: string
  is_reversal: number
}

/** Undefined when the account does not exist. A request counts at the time of its arrival. */
export async function readStatement(
  engine: Engine,
  accountId: string,
  period: Period,
  nowMs: number,
): Promise<Statement | undefined> {
  const account = await engine.db
    .selectFrom('account')
    .select('created_at')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!account) return undefined
  const rows = await readRows(engine, accountId, idRanges(period, account.created_at, nowMs))
  const credits = rows.filter(({ kind }) => kind === 'credit').map((row) => creditOf(row, period))
  const spent = rows.filter(({ kind }) => kind === 'spent')
  const net = (wanted: PeriodPart): Nano =>
    sum(credits.filter(({ part }) => part === wanted).map(({ line }) => line.amountNano)) -
    sum(spent.filter(({ part }) => part === wanted).map((row) => row.amount_nano))
  const availableNano = sum(rows.filter(({ kind }) => kind === 'available').map(amountOf))
  const leasedNano = sum(rows.filter(({ kind }) => kind === 'leased').map(amountOf))
  return {
    accountId,
    ...balancesOf(net, { availableNano, leasedNano }),
    credits: credits.filter(({ part }) => part === 'within').map(({ line }) => line),
    spending: spent.filter(({ part }) => part === 'within').map(spendingOf),
    availableNano,
    leasedNano,
  }
}

/** One SQL statement, so that money that moves meanwhile is counted exactly once. */
async function readRows(
  engine: Engine,
  accountId: string,
  ranges: readonly IdRange[],
): Promise<Row[]> {
  // These texts are generated here, so literals are safe; there are too many of them for placeholders.
  const values = ranges.map((range) => {
    const texts = [range.part, range.day, range.lowId, range.highId]
    return sql`(${sql.join(texts.map((text) => sql.lit(text)))})`
  })
  const statement = sql<Row>`(
    WITH ranges (part, day, low_id, high_id) AS (VALUES ${sql.join(values)})
    SELECT 'available' AS kind, '' AS part, '' AS day, '' AS key_id, 0 AS count,
      available_nano AS amount_nano, 0 AS at, '' AS source, '' AS external_id, '' AS reason,
      0 AS is_reversal
    FROM account WHERE id = ${accountId}
    UNION ALL
    SELECT 'leased', '', '', '', 0, CAST(COALESCE(SUM(granted_nano - used_nano), 0) AS BIGINT), 0, '', '', '', 0
    FROM lease WHERE account_id = ${accountId}
    UNION ALL
    SELECT 'credit', '', '', '', 0, amount_nano, created_at, source, external_id, reason,
      CASE WHEN reverses IS NULL THEN 0 ELSE 1 END
    FROM credit WHERE account_id = ${accountId}
    UNION ALL
    SELECT 'spent', r.part, r.day, e.key_id, COUNT(*), CAST(SUM(e.cost_nano) AS BIGINT), 0, '', '', '', 0
    FROM ranges r JOIN entry e ON e.request_id >= r.low_id AND e.request_id < r.high_id
    WHERE e.account_id = ${accountId} GROUP BY r.part, r.day, e.key_id)`
  return engine.db
    .selectFrom(statement.as('statement'))
    .selectAll()
    .orderBy('at')
    .orderBy('day')
    .orderBy('key_id')
    .execute()
}

function creditOf(row: Row, period: Period): { part: PeriodPart; line: StatementCredit } {
  const { at: atMs, amount_nano: amountNano, source, external_id: externalId, reason } = row
  const line = { atMs, amountNano, source, externalId, reason, isReversal: row.is_reversal === 1 }
  return { part: partOf(atMs, period), line }
}

function spendingOf({ day, key_id: keyId, count, amount_nano: costNano }: Row): SpendingLine {
  return { day, keyId, requests: count, costNano }
}

function amountOf({ amount_nano: amountNano }: Row): Nano {
  return amountNano
}

function sum(amounts: readonly Nano[]): Nano {
  return amounts.reduce((total, each) => total + each, 0n)
}
