import { createHash } from 'node:crypto'
import { type CompiledQuery, sql } from 'kysely'
import type { ConsoleFixture } from '../../support/console/console-fixture.ts'

/** A digest of everything in the database except the last use of tokens. */
export async function digestOf({ engine }: ConsoleFixture): Promise<string> {
  everything ??= await readingAll(engine)
  const { rows } = await engine.db.executeQuery(everything)
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex')
}

let everything: CompiledQuery | undefined

/** One statement for all tables, because it runs after every second test. */
async function readingAll({ db }: ConsoleFixture['engine']): Promise<CompiledQuery> {
  const { rows } = await sql<{ name: string; column: string }>`
    SELECT sqlite_master.name, info.name AS "column" FROM sqlite_master, pragma_table_info(sqlite_master.name) AS info
    WHERE sqlite_master.type = 'table' AND sqlite_master.name NOT LIKE 'sqlite%' AND info.name NOT IN ('used_at', 'used_address')
    ORDER BY sqlite_master.name, info.cid`.execute(db)
  const tables = Map.groupBy(rows, ({ name }) => name)
  const parts = [...tables].map(([name, columns]) => {
    const values = columns.map(({ column }) => sql`quote(${sql.ref(column)})`)
    return sql`SELECT ${sql.lit(name)} AS name, ${sql.join(values, sql` || ',' || `)} AS "values" FROM ${sql.table(name)}`
  })
  return sql`${sql.join(parts, sql` UNION ALL `)}`.compile(db)
}
