import { expect } from 'bun:test'
import { sql } from 'kysely'
import { vendorFacts } from '../../../../src/app/console/console-ports.ts'
import type { OpenIdProvider } from '../../../../src/console-api/ports/open-id-provider.ts'
import type { Engine } from '../../../../src/store/engine.ts'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import type { FreshDatabase } from '../../../support/postgres/fresh-database.ts'

export type MakePlace = () => Promise<Pick<FreshDatabase, 'url' | 'drop'>>

/** An empty gateway, and a token for all of it. */
export interface Place {
  readonly fixture: ConsoleFixture
  readonly token: string
  close(): Promise<void>
}

export async function openPlace(make: MakePlace, openId?: OpenIdProvider): Promise<Place> {
  const database = await make()
  const fixture = await openConsoleFixture({
    databaseUrl: database.url,
    isEmpty: true,
    gateway: { vendors: vendorFacts },
    ...(openId && { openId }),
  })
  return {
    fixture,
    token: await fixture.makeToken(['all']),
    close: async () => {
      await fixture.close()
      await database.drop()
    },
  }
}

export async function exported({ fixture, token }: Place, format = 'json'): Promise<string> {
  const response = await fixture.admin(token, 'GET', `/provision?format=${format}`)
  expect(response.status).toBe(200)
  return response.text()
}

export async function applied({ fixture, token }: Place, body: unknown, query = '') {
  const response = await fixture.admin(token, 'POST', `/provision${query}`, { body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** All rows of all tables except that of the tokens, whose use is recorded. */
export async function allRows({ db, kind }: Engine): Promise<Readonly<Record<string, unknown>>> {
  const names =
    kind === 'sqlite'
      ? sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
      : sql<{
          name: string
        }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
  const rows: Record<string, unknown> = {}
  for (const { name } of (await names.execute(db)).rows) {
    if (name === 'admin_token' || name.startsWith('sqlite_')) continue
    const found = await sql`SELECT * FROM ${sql.table(name)}`.execute(db)
    rows[name] = found.rows
      .map((row) =>
        JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
      )
      .sort()
  }
  return rows
}

export function sums(counts: unknown): Record<'created' | 'changed' | 'same', number> {
  const all = { created: 0, changed: 0, same: 0 }
  for (const each of Object.values(counts as Record<string, typeof all>)) {
    all.created += each.created
    all.changed += each.changed
    all.same += each.same
  }
  return all
}
