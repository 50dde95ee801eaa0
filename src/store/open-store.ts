import type { Engine } from './engine.ts'
import { openPostgres } from './postgres/postgres-engine.ts'
import { openSqlite } from './sqlite/sqlite-engine.ts'

/** Opens the database that a url such as `sqlite://data/tollgate.db` or `postgres://…` names. */
export function openStore(databaseUrl: string): Promise<Engine> {
  const path = /^sqlite:\/\/(.+)$/.exec(databaseUrl)?.[1]
  return path === undefined ? openPostgres(databaseUrl) : openSqlite(path)
}
