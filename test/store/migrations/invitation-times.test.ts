import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const weekMs = 7 * 24 * 3_600_000
const createdMs = 10 * weekMs

describe.each(engineFixtures('invitation_times'))('invitation times on $kind', (fixture) => {
  test('an invitation of a former version counts from its last unused link', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const { db } = engine
    const added = migrations.findIndex(({ id }) => id === '0039-new-members')
    await migrate(engine, migrations.slice(0, added), 1)
    const users: readonly (readonly [string, string | null, readonly number[]])[] = [
      ['first', 'acme', [createdMs + weekMs]],
      ['repeated', 'acme', [createdMs + 3 * weekMs]],
      // A used link is kept with the time of its use.
      ['opened', 'acme', [createdMs + 5]],
      ['forgotten', 'acme', []],
      ['verified', null, [createdMs + weekMs]],
    ]
    for (const [id, invitedTo, ends] of users) {
      await sql`INSERT INTO console_user (id, email, role, invited_to, created_at)
        VALUES (${id}, ${id}, 'member', ${invitedTo}, ${createdMs})`.execute(db)
      for (const end of ends) {
        await sql`INSERT INTO sign_in_link (token_hash, user_id, expires_at)
          VALUES (${`${id} ${end}`}, ${id}, ${end})`.execute(db)
      }
    }
    await migrate(engine, migrations, 2)
    const rows = await db.selectFrom('console_user').select(['id', 'invited_at']).execute()
    expect(Object.fromEntries(rows.map((row) => [row.id, row.invited_at]))).toEqual({
      first: createdMs,
      repeated: createdMs + 2 * weekMs,
      opened: null,
      forgotten: null,
      verified: null,
    })
  })
})
