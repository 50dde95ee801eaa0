import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../../../store/engine.ts'
import type { EntryTable } from '../../../store/tables/tables.ts'
import { rowCondition, rowRange, type UsageOwner } from './row-range.ts'
import { bucketOf, columnOf, type SumCell, type SumGrouping, sumOf } from './sum-cells.ts'
import type { UsageFilters } from './usage-filters.ts'

export interface Collected {
  readonly cells: readonly SumCell[]
  /** Where reading stopped early; undefined if all rows were read. */
  readonly cutAtMs: number | undefined
}

/** A member may have many keys, and each key is one query. */
export const ownersAtOnce = 64

/** Sums the newest rows of each owner, at most `rowsMax`. */
export async function sumRows(
  engine: Engine,
  owners: readonly UsageOwner[],
  filters: UsageFilters,
  grouping: SumGrouping,
  rowsMax: number,
): Promise<Collected> {
  const parts: Collected[] = []
  for (let at = 0; at < owners.length; at += ownersAtOnce) {
    const some = owners.slice(at, at + ownersAtOnce)
    const sums = some.map((owner) => sumRowsOf(engine, owner, filters, { ...grouping, rowsMax }))
    parts.push(...(await Promise.all(sums)))
  }
  const cuts = parts.flatMap((part) => part.cutAtMs ?? [])
  return {
    cells: parts.flatMap((part) => part.cells),
    cutAtMs: cuts.length === 0 ? undefined : Math.max(...cuts),
  }
}

async function sumRowsOf(
  engine: Engine,
  owner: UsageOwner,
  filters: UsageFilters,
  grouping: SumGrouping & { readonly rowsMax: number },
): Promise<Collected> {
  const range = rowRange(engine, owner, filters)
  const cells = await engine.usageDb
    .selectFrom(range.limit(grouping.rowsMax).as('u'))
    .leftJoin(entryOf(engine).as('e'), 'e.request_id', 'u.request_id')
    .select([
      bucketOf(grouping, sql`u.at`).as('bucket'),
      // As in the hourly sums: a request that found no group has no model of the catalogue.
      nameOf(grouping, sql`CASE WHEN u.group_id IS NULL THEN '' ELSE u.model END`).as('name'),
      sql<number>`COUNT(*)`.as('requests'),
      // An explained request has not failed.
      sumOf(sql`CASE WHEN u.reason IS NULL OR u.reason = 'explained' THEN 0 ELSE 1 END`).as(
        'errors',
      ),
      sumOf(sql`e.input_tokens`).as('input_tokens'),
      sumOf(sql`e.cache_read_tokens`).as('cache_read_tokens'),
      sumOf(sql`e.cache_write_5m_tokens`).as('cache_write_5m_tokens'),
      sumOf(sql`e.cache_write_1h_tokens`).as('cache_write_1h_tokens'),
      sumOf(sql`e.output_tokens`).as('output_tokens'),
      sumOf(sql`e.reasoning_tokens`).as('reasoning_tokens'),
      sql<bigint>`CAST(SUM(u.cost_nano) AS BIGINT)`.as('cost_nano'),
      sql<number>`COUNT(u.first_token_ms)`.as('first_tokens'),
      sumOf(sql`u.first_token_ms`).as('first_token_ms'),
      sumOf(sql`u.total_ms`).as('total_ms'),
    ])
    .where(rowCondition(filters) ?? sql<boolean>`1 = 1`)
    .groupBy(['bucket', 'name'])
    .execute()
  const last = await range
    .offset(grouping.rowsMax - 1)
    .limit(1)
    .executeTakeFirst()
  const { names } = grouping
  const wanted = names ? cells.filter((cell) => names.includes(cell.name)) : cells
  return { cells: wanted, cutAtMs: last?.at }
}

/** The entry of each row. Without this form, Postgres would read all entries instead of looking up ten thousand. */
function entryOf({ kind }: Engine): RawBuilder<EntryTable> {
  return kind === 'sqlite'
    ? sql<EntryTable>`entry`
    : sql<EntryTable>`LATERAL (SELECT * FROM entry WHERE request_id = u.request_id OFFSET 0)`
}

function nameOf({ by }: SumGrouping, model: RawBuilder<unknown>): RawBuilder<string> {
  if (by === undefined) return sql<string>`''`
  if (by === 'model') return sql<string>`COALESCE(${model}, '')`
  return sql<string>`COALESCE(u.${sql.ref(columnOf[by])}, '')`
}
