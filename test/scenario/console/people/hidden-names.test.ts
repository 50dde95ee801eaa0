import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import {
  type ConsoleFixture,
  openConsoleFixture,
} from '../../../support/console/console-fixture.ts'
import { patience } from '../../../support/patience.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../../../support/postgres/postgres-server-url.ts'

const api = '/console/api'
/** Looks like "admin key" in most programs. */
const hidden = 'admin\u202e\u2066 key\u200b'

describe('names of an older version on SQLite', () => nameTests())
if (postgresServerUrl('names of an older version on Postgres') !== undefined) {
  describe('names of an older version on Postgres', () => nameTests(freshDatabase))
}

function nameTests(makeDatabase?: () => Promise<FreshDatabase>): void {
  let fixture: ConsoleFixture
  let database: FreshDatabase | undefined
  beforeAll(async () => {
    database = await makeDatabase?.()
    fixture = await openConsoleFixture(database ? { databaseUrl: database.url } : {})
  }, patience(20_000))
  afterAll(async () => {
    await fixture.close()
    await database?.drop()
  }, patience(20_000))

  const places = [
    { what: 'a key', table: 'api_key', column: 'name', path: 'keys', id: 'key_ann' },
    { what: 'an account', table: 'account', column: 'name', path: 'operate/accounts', id: 'acme' },
    {
      what: 'a model',
      table: 'model',
      column: 'display_name',
      path: 'operate/models',
      id: 'gpt-x',
      field: 'displayName',
    },
  ]
  test.each(places)('$what is shown, keeps its name, and gets another one', async (place) => {
    const { table, column, path, id, field = 'name' } = place
    const { db } = fixture.engine
    const [known] = (
      await sql<{
        id: string
      }>`SELECT id FROM ${sql.table(table)} ORDER BY CASE WHEN id = ${id} THEN 0 ELSE 1 END`.execute(
        db,
      )
    ).rows
    const found = known?.id ?? ''
    await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${hidden} WHERE id = ${found}`.execute(
      db,
    )
    const cookie = await fixture.signIn('u_root')
    const listed = await fixture.get(`${api}/${path}`, { cookie })
    expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining('\u202e')])
    const change = async (body: unknown) => {
      const reply = await fixture.send('PATCH', `${api}/${path}/${found}`, { cookie, body })
      return { status: reply.status, text: await reply.text() }
    }
    for (const name of [hidden, 'a\u061cb', 'a\ud800b']) {
      const refused = await change({ [field]: name })
      expect(refused.status).toBe(400)
      expect(refused.text).toMatch(/text_hidden|text_plain/)
    }
    expect(await change({ [field]: 'Visible' })).toMatchObject({ status: 200 })
    const after = await fixture.get(`${api}/${path}`, { cookie })
    expect(await after.text()).not.toContain('\u202e')
  })

  test('a user whose address has such a character still signs in', async () => {
    const email = 'an\u200bn@example.com'
    await fixture.engine.db
      .updateTable('console_user')
      .set({ email })
      .where('id', '=', 'u_ann')
      .execute()
    const wrong = await fixture.post(`${api}/sign-in`, {
      body: { email, password: 'wrong password' },
    })
    // The password is checked: the address is not refused as such.
    expect([wrong.status, await wrong.text()]).toEqual([
      401,
      expect.stringContaining('wrong_credentials'),
    ])
  })
}
