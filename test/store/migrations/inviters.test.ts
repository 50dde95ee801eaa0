import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const formerLast = '0036-link-makers'

describe.each(engineFixtures('inviters'))('inviters on $kind', (fixture) => {
  test('a waiting invitation of a former version gets the inviter of its link', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const { db } = engine
    const last = migrations.findIndex(({ id }) => id === formerLast)
    await migrate(engine, migrations.slice(0, last + 1), 1)
    const users = [
      ['waits', 'acme', 'u_owen'],
      ['old', 'acme', null],
      ['opened', 'acme', undefined],
      ['verified', null, 'u_root'],
    ] as const
    for (const [id, invitedTo, madeBy] of users) {
      await sql`INSERT INTO console_user (id, email, role, invited_to, created_at)
        VALUES (${id}, ${id}, 'member', ${invitedTo}, 1)`.execute(db)
      if (madeBy === undefined) continue
      await sql`INSERT INTO sign_in_link (token_hash, user_id, expires_at, made_by)
        VALUES (${id}, ${id}, 9, ${madeBy})`.execute(db)
    }
    await migrate(engine, migrations, 2)
    const rows = await db.selectFrom('console_user').select(['id', 'invited_by']).execute()
    expect(Object.fromEntries(rows.map((row) => [row.id, row.invited_by]))).toEqual({
      waits: 'u_owen',
      old: null,
      opened: null,
      verified: null,
    })
  })
})
