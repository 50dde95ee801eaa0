import { sql } from 'kysely'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import { periodStart } from '../../contract/figures.ts'
import type { OverviewAnswer, OverviewPeriod } from '../../contract.ts'
import type { CallOf, JsonAnswer, Scope } from '../../routes/route.ts'
import { collectSums } from '../usage/collect-sums.ts'
import { describeSeries } from '../usage/describe-series.ts'
import { findUsageRows } from '../usage/list-usage-rows.ts'
import { stepMsOf } from '../usage/read-usage-series.ts'
import { addSums, describeSums } from '../usage/sums.ts'
import { usageFilters } from '../usage/usage-filters.ts'
import { overviewAccounts } from './account-overviews.ts'
import { findMovers } from './find-movers.ts'
import { findSampleModel } from './find-sample-model.ts'

const dayMs = 24 * hourMs
const failuresMax = 8
/** Number of the most expensive names of both periods that are compared. */
const namesLookedAt = 20
const lengthMs: Readonly<Record<OverviewPeriod, number>> = {
  '24h': dayMs,
  '7d': 7 * dayMs,
  '30d': 30 * dayMs,
  '90d': 90 * dayMs,
}
const noFilters = usageFilters({})

/** The overview: accounts, figures of a period, and changes since the previous one. */
export async function readOverview(
  call: CallOf<'GET /overview'>,
): Promise<JsonAnswer<OverviewAnswer>> {
  const { deps, scope, query } = call
  const { engine } = deps
  const nowMs = deps.clock.nowMs()
  const { period = '7d', by = 'model' } = query
  const fromMs = periodStart(nowMs, lengthMs[period])
  const now = { ...noFilters, fromMs }
  const before = { ...noFilters, fromMs: fromMs - lengthMs[period], toMs: fromMs }
  const step = period === '24h' ? 'hour' : 'day'
  const grouping = { by, stepMs: stepMsOf[step], namesMax: namesLookedAt }
  const [accounts, credit, sums, sumsBefore, failures, sampleModel] = await Promise.all([
    overviewAccounts(engine, scope, nowMs - dayMs),
    sumCredit(engine, scope),
    collectSums(engine, scope, now, grouping),
    collectSums(engine, scope, before, { ...grouping, stepMs: undefined }),
    findUsageRows(engine, scope, { ...noFilters, status: 'error' }, failuresMax),
    findSampleModel(engine, scope),
  ])
  return {
    body: {
      period,
      from: fromMs,
      to: nowMs,
      accounts,
      credit,
      now: describeSums(addSums(sums.cells)),
      before: describeSums(addSums(sumsBefore.cells)),
      series: await describeSeries(engine, sums, { by, step, period: { fromMs, toMs: nowMs } }),
      movers: await findMovers(engine, scope, by, {
        now: { filters: now, cells: sums.cells },
        before: { filters: before, cells: sumsBefore.cells },
      }),
      failures: failures.rows.filter((row) => row.at >= fromMs),
      sampleModel,
      hasKeys: accounts.some((account) => account.keyCount > 0),
    },
  }
}

/** One SQL statement, so that money that moves meanwhile is counted exactly once. */
async function sumCredit(
  { db }: Engine,
  { accountIds: visible, own }: Scope,
): Promise<OverviewAnswer['credit']> {
  const accountIds = visible?.filter((id) => own?.accountIds.includes(id) !== true)
  if (accountIds?.length === 0) return null
  const of = (column: string) =>
    accountIds === undefined ? sql`1 = 1` : sql`${sql.ref(column)} IN (${sql.join(accountIds)})`
  const sum = (what: string, table: string, column: string) =>
    sql<bigint>`CAST(COALESCE((SELECT SUM(${sql.raw(what)}) FROM ${sql.table(table)}
      WHERE ${of(column)}), 0) AS BIGINT)`
  const row = await db
    .selectNoFrom([
      sum('available_nano', 'account', 'id').as('available_nano'),
      sum('granted_nano - used_nano', 'lease', 'account_id').as('held_nano'),
      sum('amount_nano', 'credit', 'account_id').as('credit_nano'),
    ])
    .executeTakeFirstOrThrow()
  return {
    availableNano: String(row.available_nano),
    heldNano: String(row.held_nano),
    spentNano: String(row.credit_nano - row.available_nano - row.held_nano),
  }
}
