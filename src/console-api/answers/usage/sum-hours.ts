import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../../../store/engine.ts'
import type { Scope } from '../../route.ts'
import { bucketOf, columnOf, type Grouping, othersName, type SumCell, sumOf } from './sum-cells.ts'
import { sumNames } from './sums.ts'
import type { UsageFilters } from './usage-filters.ts'

export interface HourWish {
  readonly scope: Scope
  readonly filters: UsageFilters
  readonly grouping: Grouping
  readonly firstHour: number
  /** Not included. */
  readonly endHour: number
}

/** Adds up whole hours. Of a million keys only those that are told apart leave the database. */
export async function sumHours(engine: Engine, wish: HourWish): Promise<SumCell[]> {
  const { by, names, namesMax } = wish.grouping
  const told =
    names ?? (by === undefined || namesMax === undefined ? undefined : await dearest(engine, wish))
  return hoursOf(engine, wish)
    .select([
      bucketOf(wish.grouping, sql`u.hour`).as('bucket'),
      nameOf(by === undefined ? undefined : columnOf[by], told).as('name'),
      ...sumNames.map((name) => sumOf(sql`u.${sql.ref(name)}`).as(name)),
      sql<bigint>`CAST(SUM(u.cost_nano) AS BIGINT)`.as('cost_nano'),
    ])
    .groupBy(['bucket', 'name'])
    .execute()
}

async function dearest(engine: Engine, wish: HourWish): Promise<string[]> {
  const { by, namesMax = 0 } = wish.grouping
  if (by === undefined) return []
  const rows = await hoursOf(engine, wish)
    .select(sql<string>`u.${sql.ref(columnOf[by])}`.as('name'))
    .groupBy('name')
    .orderBy(sql`SUM(u.cost_nano)`, 'desc')
    .orderBy(sql`SUM(u.requests)`, 'desc')
    .orderBy('name')
    .limit(namesMax)
    .execute()
  return rows.map((row) => row.name)
}

function nameOf(
  column: string | undefined,
  told: readonly string[] | undefined,
): RawBuilder<string> {
  if (column === undefined) return sql<string>`''`
  const name = sql<string>`u.${sql.ref(column)}`
  if (told === undefined) return name
  const others = sql.lit(othersName)
  if (told.length === 0) return sql<string>`${others}`
  return sql<string>`CASE WHEN ${name} IN (${sql.join(told.map((each) => sql.lit(each)))})
    THEN ${name} ELSE ${others} END`
}

function hoursOf({ db }: Engine, { scope, filters, firstHour, endHour }: HourWish) {
  const { keyId, model, group, protocol } = filters
  let query = db
    .selectFrom('usage_hour as u')
    .where('u.hour', '>=', firstHour)
    .where('u.hour', '<', endHour)
  // With a key given the account has been checked; the key is what the index begins with.
  if (keyId !== undefined) query = query.where('u.key_id', '=', keyId)
  else if (scope.accountIds !== undefined)
    query = query.where('u.account_id', 'in', scope.accountIds)
  if (model !== undefined) query = query.where('u.model', '=', model)
  if (group !== undefined) query = query.where('u.group_id', '=', group)
  if (protocol !== undefined) query = query.where('u.protocol', '=', protocol)
  return query
}
