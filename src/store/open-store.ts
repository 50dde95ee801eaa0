import { sqlitePathOf } from '../core/network/sqlite-url.ts'
import type { Engine } from './engine.ts'
import { openPostgres } from './postgres/postgres-engine.ts'
import { openSqlite } from './sqlite/sqlite-engine.ts'

/** Opens the database of a URL such as `sqlite://data/tollgate.db` or `postgres://…`. */
export function openStore(databaseUrl: string, readUrl?: string): Promise<Engine> {
  const path = sqlitePathOf(databaseUrl)
  return path === undefined ? openPostgres(databaseUrl, undefined, readUrl) : openSqlite(path)
}
