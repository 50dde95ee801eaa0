import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'

export type FreshDatabase = {
  readonly url: string
  readonly name: string
  /** Closes all connections to the database and deletes the database. */
  drop(): Promise<void>
}

export interface FreshOptions {
  /** A server other than the one that all tests share. */
  readonly serverUrl?: string
  /**
   * Without the schema, like a database that an operator creates. By default the database may already have the schema,
   * and migrating does nothing.
   */
  readonly isEmpty?: boolean
  /** The name of a database to copy, with its rows. No connection to it may be open. */
  readonly copyOf?: string
}

/** A new database without rows on the tests' Postgres server. No other test shares it. */
export async function freshDatabase(options: FreshOptions = {}): Promise<FreshDatabase> {
  const serverUrl = options.serverUrl ?? process.env['TEST_POSTGRES_URL']
  if (!serverUrl) throw new Error('There is no Postgres for tests: TEST_POSTGRES_URL is not set.')
  const server = options.serverUrl === undefined ? shared(serverUrl) : oneTime(serverUrl)
  const hasTemplate = options.isEmpty !== true && options.serverUrl === undefined
  const migrated = hasTemplate ? process.env['TEST_POSTGRES_TEMPLATE'] : undefined
  const template = options.copyOf ?? migrated
  const name = `tollgate_test_${randomBytes(8).toString('hex')}`
  await server(async (sql) => {
    await sql.unsafe(
      `create database ${name}${template ? ` template ${template}` : ''}${await byFiles(sql)}`,
    )
  })
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    name,
    drop: () => server((sql) => sql.unsafe(`drop database if exists ${name} with (force)`)),
  }
}

type Server = (work: (sql: SQL) => Promise<unknown>) => Promise<void>

let keptSql: SQL | undefined

/** One connection for all databases of a process: opening one takes a quarter of the time of creating a database. */
function shared(serverUrl: string): Server {
  return async (work) => {
    keptSql ??= new SQL(serverUrl, { max: 1, idleTimeout: 0 })
    await work(keptSql)
  }
}

/** A test may stop this server at any time. */
function oneTime(serverUrl: string): Server {
  return async (work) => {
    const sql = new SQL(serverUrl, { max: 1 })
    try {
      await work(sql)
    } finally {
      await sql.close()
    }
  }
}

/**
 * Copies the files of the template, including the one from which a session learns the catalogue. By default, since
 * version 15, Postgres copies page by page through its log, which takes twice the time, and the first sessions of the
 * database each read the catalogue.
 */
async function byFiles(sql: SQL): Promise<string> {
  const [row] = await sql`select current_setting('server_version_num')::int as version`
  return row.version >= 150_000 ? ' strategy file_copy' : ''
}
