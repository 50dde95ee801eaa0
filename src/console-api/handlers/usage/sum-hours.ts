import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../../../store/engine.ts'
import type { UsageHourTable, UsageTotalTable } from '../../../store/tables/tables.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import { dayMs } from '../../../usage/usage-total-sql.ts'
import type { Scope } from '../../routes/route.ts'
import { isWholeOwned, ownedKeys } from './own-key-ids.ts'
import {
  bucketOf,
  columnOf,
  othersName,
  type SumCell,
  type SumGrouping,
  sumOf,
} from './sum-cells.ts'
import type { SumRequest } from './sum-request.ts'
import { isOfOwner, isOverall } from './sum-request.ts'
import { sumNames } from './sums.ts'

export interface HourRequest extends SumRequest {
  readonly firstHour: number
  /** Exclusive. */
  readonly endHour: number
}

/** Sums whole hours in one query. Of a million keys only the named ones leave the database. */
export async function sumHours(engine: Engine, request: HourRequest): Promise<SumCell[]> {
  const { by, names, namesMax } = request.grouping
  if (names?.length === 0) return []
  const cells = hoursOf(engine, request)
    .select([
      bucketOf(request.grouping, sql`u.hour`).as('bucket'),
      (by === undefined ? sql<string>`''` : sql<string>`u.${sql.ref(columnOf[by])}`).as('name'),
      ...sumNames.map((name) => sumOf(sql`u.${sql.ref(name)}`).as(name)),
      sql<bigint>`CAST(SUM(u.cost_nano) AS BIGINT)`.as('cost_nano'),
    ])
    .groupBy(['bucket', 'name'])
  if (by === undefined || names !== undefined || namesMax === undefined) return cells.execute()
  return engine.usageDb
    .with('cell', () => cells)
    .with('dearest', (db) =>
      db
        .selectFrom('cell')
        .select('name')
        .groupBy('name')
        .orderBy(sql`SUM(cost_nano)`, 'desc')
        .orderBy(sql`SUM(requests)`, 'desc')
        .orderBy('name')
        .limit(namesMax),
    )
    .selectFrom('cell as u')
    .select([
      'u.bucket',
      sql<string>`CASE WHEN u.name IN (SELECT name FROM dearest) THEN u.name
        ELSE ${sql.lit(othersName)} END`.as('shown_name'),
      ...sumNames.map((name) => sumOf(sql`u.${sql.ref(name)}`).as(name)),
      sql<bigint>`CAST(SUM(u.cost_nano) AS BIGINT)`.as('cost_nano'),
    ])
    .groupBy(['u.bucket', 'shown_name'])
    .execute()
    .then((rows) => rows.map(({ shown_name, ...row }) => ({ ...row, name: shown_name })))
}

function hoursOf({ db }: Engine, request: HourRequest) {
  const { scope, filters, grouping, firstHour, endHour } = request
  const { keyId, model, group, protocol } = filters
  const { by, names } = grouping
  const isTotal = isOverall(request) && !isOfOwner(by)
  const source = isTotal ? totalsOf(request) : sql<UsageHourTable>`usage_hour`
  let query = db.selectFrom(source.as('u'))
  if (!isTotal) query = query.where('u.hour', '>=', firstHour).where('u.hour', '<', endHour)
  // With a key, the account has been checked, and the index begins with the key.
  if (keyId !== undefined) query = query.where('u.key_id', '=', keyId)
  else if (scope.accountIds !== undefined) query = query.where(hoursIn(scope))
  if (model !== undefined) query = query.where('u.model', '=', model)
  if (group !== undefined) query = query.where('u.group_id', '=', group)
  if (protocol !== undefined) query = query.where('u.protocol', '=', protocol)
  if (by !== undefined && names !== undefined) query = query.where(`u.${columnOf[by]}`, 'in', names)
  return query
}

/** A condition on `u`: the hours of whole accounts, and in others those in which a key was the caller's own. */
export function hoursIn({ accountIds = [], own }: Scope) {
  const whole = accountIds.filter((id) => own?.accountIds.includes(id) !== true)
  const parts = [
    ...(whole.length === 0 ? [] : [sql`u.account_id IN (${sql.join(whole)})`]),
    ...(own === undefined || own.accountIds.length === 0
      ? []
      : [sql`(u.key_id IN (${ownedKeys(own)}) AND ${isWholeOwned})`]),
  ]
  return parts.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`(${sql.join(parts, sql` OR `)})`
}

/** The sums over all accounts as one source: daily sums for whole days, hourly sums at both ends. */
function totalsOf({
  filters,
  grouping,
  firstHour,
  endHour,
}: HourRequest): RawBuilder<UsageHourTable> {
  const { status, isStream } = filters
  const conditions = [sql`1 = 1`]
  if (status === 'error') conditions.push(sql`failed = 1`)
  // Rows that were deleted before outcomes were recorded have no status.
  else if (status === 'ok') conditions.push(sql`failed = 0 AND status > 0`)
  else if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (isStream !== undefined) conditions.push(sql`stream = ${isStream ? 1 : 0}`)
  const within = (span: UsageTotalTable['span'], from: number, to: number) =>
    sql`SELECT at AS hour, '' AS account_id, '' AS key_id, model, group_id, protocol,
        ${sql.join(sumNames.map((name) => sql.ref(name)))}, cost_nano
      FROM usage_total WHERE span = ${sql.lit(span)} AND at >= ${from} AND at < ${to}
        AND ${sql.join(conditions, sql` AND `)}`
  const firstDay = Math.ceil(firstHour / dayMs) * dayMs
  const endDay = Math.floor(endHour / dayMs) * dayMs
  if (firstDay >= endDay || isHourly(grouping))
    return sql<UsageHourTable>`(${within('hour', firstHour, endHour)})`
  return sql<UsageHourTable>`(${within('day', firstDay, endDay)}
    UNION ALL ${within('hour', firstHour, firstDay)}
    UNION ALL ${within('hour', endDay, endHour)})`
}

function isHourly({ stepMs }: SumGrouping): boolean {
  return stepMs !== undefined && stepMs <= hourMs
}
