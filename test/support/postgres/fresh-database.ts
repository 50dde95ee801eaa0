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
   * Without the schema, like a database that an operator creates. Otherwise the schema may exist, and migrating has no
   * work.
   */
  readonly isEmpty?: boolean
}

/** A new database without rows on the tests' Postgres server. No other test shares it. */
export async function freshDatabase(options: FreshOptions = {}): Promise<FreshDatabase> {
  const serverUrl = options.serverUrl ?? process.env['TEST_POSTGRES_URL']
  if (!serverUrl) throw new Error('There is no Postgres for tests: TEST_POSTGRES_URL is not set.')
  const hasTemplate = options.isEmpty !== true && options.serverUrl === undefined
  const template = hasTemplate ? process.env['TEST_POSTGRES_TEMPLATE'] : undefined
  const name = `tollgate_test_${randomBytes(8).toString('hex')}`
  await runOnServer(serverUrl, `create database ${name}${template ? ` template ${template}` : ''}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
    name,
    drop: () => runOnServer(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const server = new SQL(serverUrl, { max: 1 })
  try {
    await server.unsafe(statement)
  } finally {
    await server.close()
  }
}
