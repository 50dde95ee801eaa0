import { sql } from 'kysely'
import type { OwnKeys } from '../../../keys/key-list.ts'
import { balancesOf, type PeriodPart, partOf } from '../../../ledger/audit/statement-balance.ts'
import { statementDaysMax } from '../../../ledger/audit/statement-ranges.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import type { CreditLine, HoldLine, SpendDay, SpendKey, StatementAnswer } from '../../contract.ts'
import { ApiRefusal, brokenRule } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { namesOf } from '../usage/names-of.ts'
import { isWholeOwned, ownedKeys } from '../usage/own-key-ids.ts'

const dayMs = 24 * hourMs
const keysMax = 200

/** One row of the ledger query: a balance, a lease, a credit, the spending of a day or of a key. */
interface StatementRow {
  kind: 'available' | 'held' | 'credit' | 'spent' | 'key'
  day: number
  key_id: string
  count: number
  amount_nano: bigint
  at: number
  source: string
  external_id: string
  reason: string
  reverses: string | null
}

interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/** The statement of an account. All figures belong to one moment. */
export async function readBilling(
  call: CallOf<'GET /billing'>,
): Promise<JsonAnswer<StatementAnswer>> {
  const { deps, query, scope } = call
  const [accountId = ''] = scope.accountIds ?? []
  const account = await deps.engine.db
    .selectFrom('account')
    .select('name')
    .where('id', '=', accountId)
    .executeTakeFirst()
  if (!account) throw new ApiRefusal('not_found', 'This account does not exist.')
  const period = readPeriod(query, deps.clock.nowMs())
  const rows = scope.own
    ? await readOwnSpending(deps.engine, scope.own, period)
    : await readRows(deps.engine, accountId, period)
  const ids = [...new Set(rows.map((row) => row.key_id))].filter(Boolean)
  const names = await namesOf(deps.engine, 'key', ids)
  return {
    body: {
      accountId,
      accountName: account.name,
      from: dayText(period.fromMs),
      to: dayText(period.toMs - dayMs),
      ...(scope.own ? addUpOwn(rows, names) : addUp(rows, period, names)),
    },
  }
}

function readPeriod(query: CallOf<'GET /billing'>['query'], nowMs: number): Period {
  const today = new Date(nowMs)
  const monthMs = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1)
  const fromMs = query.from ?? monthMs
  const toMs = (query.to ?? nowMs - (nowMs % dayMs)) + dayMs
  if (fromMs >= toMs) throw brokenRule('to', 'range_reversed')
  if ((toMs - fromMs) / dayMs > statementDaysMax) {
    throw brokenRule('from', 'range_long', { max: statementDaysMax })
  }
  return { fromMs, toMs }
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/**
 * One SQL statement, so that money that moves meanwhile is counted exactly once. Spending comes from the hourly sums,
 * which change in the transaction that writes the entries, so the time does not depend on the number of requests.
 */
function readRows(
  { db }: Engine,
  accountId: string,
  { fromMs, toMs }: Period,
): Promise<StatementRow[]> {
  const ledger = sql<StatementRow>`(
    SELECT 'available' AS kind, 0 AS day, '' AS key_id, 0 AS count, available_nano AS amount_nano, 0 AS at,
      '' AS source, '' AS external_id, '' AS reason, NULL AS reverses
    FROM account WHERE id = ${accountId}
    UNION ALL
    SELECT 'held', 0, key_id, COUNT(*), CAST(SUM(granted_nano - used_nano) AS BIGINT), MIN(created_at), '', '', '', NULL
    FROM lease WHERE account_id = ${accountId} GROUP BY key_id
    UNION ALL
    SELECT 'credit', 0, '', 1, amount_nano, created_at, source, external_id, reason, reverses
    FROM credit WHERE account_id = ${accountId}
    UNION ALL
    SELECT 'spent', hour - hour % ${sql.lit(dayMs)}, '', CAST(SUM(requests) AS BIGINT),
      CAST(SUM(cost_nano) AS BIGINT), 0, '', '', '', NULL
    FROM usage_hour WHERE account_id = ${accountId} GROUP BY 2
    UNION ALL
    SELECT * FROM (
      SELECT 'key', 0, key_id, CAST(SUM(requests) AS BIGINT), CAST(SUM(cost_nano) AS BIGINT), 0, '', '', '', NULL
      FROM usage_hour WHERE account_id = ${accountId} AND hour >= ${fromMs} AND hour < ${toMs}
      GROUP BY key_id ORDER BY 5 DESC, key_id LIMIT ${sql.lit(keysMax)}) AS dearest)`
  return db
    .selectFrom(ledger.as('ledger'))
    .selectAll()
    .orderBy('at')
    .orderBy('day')
    .orderBy('amount_nano', 'desc')
    .execute()
}

function addUp(
  rows: readonly StatementRow[],
  period: Period,
  names: ReadonlyMap<string, string>,
): Omit<StatementAnswer, 'accountId' | 'accountName' | 'from' | 'to'> {
  const of = (kind: StatementRow['kind']) => rows.filter((row) => row.kind === kind)
  const credits = of('credit')
  const spent = of('spent')
  const creditedIn = (part: PeriodPart) => credits.filter((row) => partOf(row.at, period) === part)
  const spentIn = (part: PeriodPart) => spent.filter((row) => partOf(row.day, period) === part)
  const availableNano = sum(of('available'))
  const heldNano = sum(of('held'))
  const balances = balancesOf((part) => sum(creditedIn(part)) - sum(spentIn(part)), {
    availableNano,
    leasedNano: heldNano,
  })
  const creditedNow = creditedIn('within')
  const spentNow = spentIn('within')
  return {
    openingNano: String(balances.openingNano),
    credits: creditedNow.map(creditLine),
    days: spentNow.map(spendDay),
    keys: of('key').map((row) => spendKey(row, names)),
    creditedNano: String(sum(creditedNow)),
    spentNano: String(sum(spentNow)),
    closingNano: String(balances.closingNano),
    sinceNano: String(balances.sinceNano),
    availableNano: String(availableNano),
    heldNano: String(heldNano),
    holds: of('held').map((row) => holdLine(row, names)),
    differenceNano: String(balances.differenceNano),
  }
}

/**
 * The spending of one user's keys in a period. It does not reveal what others spend. Of the hour in which a key became
 * a service key, the requests before count.
 */
async function readOwnSpending(
  { db }: Engine,
  own: OwnKeys,
  { fromMs, toMs }: Period,
): Promise<StatementRow[]> {
  const former = sql`former_key_owner o WHERE o.user_id = ${own.userId}
    AND o.account_id IN (${sql.join(own.accountIds)})`
  const hours = sql`(
    SELECT u.hour, u.key_id, u.requests, u.cost_nano FROM usage_hour u
    WHERE u.key_id IN (${ownedKeys(own)}) AND ${isWholeOwned} AND u.hour >= ${fromMs} AND u.hour < ${toMs}
    UNION ALL
    SELECT u.at - u.at % ${sql.lit(hourMs)}, u.key_id, 1, u.cost_nano FROM usage_row u
    JOIN (SELECT o.key_id, o.until_at, o.hour_id, o.until_id FROM ${former}) AS o ON o.key_id = u.key_id
      AND u.request_id >= o.hour_id AND u.request_id < o.until_id
      AND u.at >= o.until_at - o.until_at % ${sql.lit(hourMs)} AND u.at < o.until_at
    WHERE u.at >= ${fromMs} AND u.at < ${toMs}) AS u`
  const ledger = sql<StatementRow>`(
    SELECT 'spent' AS kind, hour - hour % ${sql.lit(dayMs)} AS day, '' AS key_id,
      CAST(SUM(requests) AS BIGINT) AS count, CAST(SUM(cost_nano) AS BIGINT) AS amount_nano, 0 AS at,
      '' AS source, '' AS external_id, '' AS reason, NULL AS reverses
    FROM ${hours} GROUP BY 2
    UNION ALL
    SELECT * FROM (
      SELECT 'key', 0, key_id, CAST(SUM(requests) AS BIGINT), CAST(SUM(cost_nano) AS BIGINT), 0, '', '', '', NULL
      FROM ${hours} GROUP BY key_id ORDER BY 5 DESC, key_id LIMIT ${sql.lit(keysMax)}) AS dearest)`
  return db
    .selectFrom(ledger.as('ledger'))
    .selectAll()
    .orderBy('day')
    .orderBy('amount_nano', 'desc')
    .execute()
}

function addUpOwn(
  rows: readonly StatementRow[],
  names: ReadonlyMap<string, string>,
): Omit<StatementAnswer, 'accountId' | 'accountName' | 'from' | 'to'> {
  const spent = rows.filter((row) => row.kind === 'spent')
  return {
    openingNano: null,
    credits: [],
    days: spent.map(spendDay),
    keys: rows.filter((row) => row.kind === 'key').map((row) => spendKey(row, names)),
    creditedNano: null,
    spentNano: String(sum(spent)),
    closingNano: null,
    sinceNano: null,
    availableNano: null,
    heldNano: null,
    holds: [],
    differenceNano: null,
  }
}

function sum(rows: readonly StatementRow[]): bigint {
  return rows.reduce((total, row) => total + row.amount_nano, 0n)
}

function creditLine(row: StatementRow): CreditLine {
  return {
    at: row.at,
    amountNano: String(row.amount_nano),
    source: row.source,
    externalId: row.external_id,
    reason: row.reason,
    isReversal: row.reverses !== null,
  }
}

function holdLine(row: StatementRow, names: ReadonlyMap<string, string>): HoldLine {
  return {
    keyId: row.key_id,
    keyName: names.get(row.key_id) ?? null,
    heldNano: String(row.amount_nano),
    since: row.at,
  }
}

function spendDay(row: StatementRow): SpendDay {
  return { day: dayText(row.day), requests: row.count, costNano: String(row.amount_nano) }
}

function spendKey(row: StatementRow, names: ReadonlyMap<string, string>): SpendKey {
  return {
    keyId: row.key_id,
    keyName: names.get(row.key_id) ?? null,
    requests: row.count,
    costNano: String(row.amount_nano),
  }
}
