import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'

export type FreshDatabase = {
  readonly url: string
  /** Ends all connections to the database and deletes it. */
  drop(): Promise<void>
}

/** A new, empty database on the tests' Postgres server, or on the one that is given, shared with no other test. */
export async function freshDatabase(
  serverUrl: string | undefined = process.env['TEST_POSTGRES_URL'],
): Promise<FreshDatabase> {
  if (!serverUrl) throw new Error('There is no Postgres for tests: TEST_POSTGRES_URL is not set.')
  const name = `tollgate_test_${randomBytes(8).toString('hex')}`
  await runOnServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    url: url.href,
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
