import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openAccountDirectory } from '../../../src/accounts/account-directory.ts'
import { findPolicy } from '../../../src/recording/policy-store.ts'
import { findRecording } from '../../../src/recording/read-recordings.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { hashOf, type Migration } from '../../../src/store/migrations/migration.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'

const allIds = migrations.map((migration) => migration.id)
const thing: Migration = { id: '9001-thing', statements: ['CREATE TABLE thing (id TEXT)'] }
const broken: Migration = {
  id: '9002-broken',
  statements: ['CREATE TABLE half (id TEXT)', 'CREATE TABLE half (id TEXT)'],
}

async function appliedIds({ db }: Engine): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM migration ORDER BY id`.execute(db)
  return rows.map((row) => row.id)
}

test('a migration is identified by its whole text', () => {
  expect(hashOf(thing)).toBe(hashOf({ ...thing, id: 'other' }))
  expect(hashOf(thing)).not.toBe(hashOf({ ...thing, statements: ['CREATE TABLE thing (id text)'] }))
})

test('the ids are ascending: a migration is never inserted', () => {
  expect(allIds).toEqual([...allIds].sort())
  expect(new Set(allIds).size).toBe(allIds.length)
})

describe.each(engineFixtures('migrations'))('migrations on $kind', (fixture) => {
  /** A separate database, because these tests change the schema. */
  const openMigrated = async (): Promise<Engine> => {
    const engine = await fixture.open(await fixture.freshUrl())
    await migrate(engine, migrations, 1)
    return engine
  }

  test('a fresh database gets all migrations, once', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    expect(await migrate(engine, migrations, 5)).toEqual(allIds)
    expect(await migrate(engine, migrations, 6)).toEqual([])
    expect(await appliedIds(engine)).toEqual(allIds)
    const { rows } = await sql<{
      applied_at: number
    }>`SELECT DISTINCT applied_at FROM migration`.execute(engine.db)
    expect(rows).toEqual([{ applied_at: 5 }])
  })

  test('only new migrations are applied', async () => {
    const engine = await openMigrated()
    expect(await migrate(engine, [...migrations, thing], 7)).toEqual([thing.id])
    expect(await appliedIds(engine)).toEqual([...allIds, thing.id])
  })

  test('if several processes start at once, one migrates and none fails', async () => {
    const url = await fixture.freshUrl()
    const engines = await Promise.all([1, 2, 3, 4].map(() => fixture.open(url)))
    const done = await Promise.all(engines.map((engine) => migrate(engine, migrations, 5)))
    expect(done.flat()).toEqual(allIds)
    for (const engine of engines) expect(await appliedIds(engine)).toEqual(allIds)
  })

  test('a changed migration is rejected, and nothing is applied', async () => {
    const engine = await openMigrated()
    const changed = migrations.map((each) => ({ ...each, statements: [...each.statements, '--'] }))
    expect(await failureOf(migrate(engine, [...changed, thing], 7))).toContain(
      `Migration ${allIds[0]} of the database has another text`,
    )
    expect(await appliedIds(engine)).toEqual(allIds)
  })

  test('a database of a newer version is rejected', async () => {
    const engine = await openMigrated()
    await migrate(engine, [...migrations, thing], 7)
    expect(await failureOf(migrate(engine, migrations, 8))).toContain(
      `The database has migration ${thing.id}, which this version of Tollgate does not know`,
    )
  })

  test('a migration that fails halfway changes nothing, and the engine still works', async () => {
    const engine = await openMigrated()
    expect(await failureOf(migrate(engine, [...migrations, thing, broken], 7))).toMatch(/half/)
    expect(await appliedIds(engine)).toEqual(allIds)
    expect(await failureOf(sql`SELECT * FROM half`.execute(engine.db))).toMatch(/half/)
    expect(await migrate(engine, [...migrations, thing], 8)).toEqual([thing.id])
  })

  test('an upstream’s credential becomes the first of its list, bound to its host', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const earlier = migrations.filter(({ id }) => id < '0005')
    await migrate(engine, earlier, 1)
    await sql`INSERT INTO upstream (id, vendor, protocol, base_url, credential_sealed, created_at) VALUES
      ('with', 'openai', 'any', 'https://one.example/v1', 'sealed text', 3),
      ('without', 'openai', 'any', 'https://one.example/v1', NULL, 3)`.execute(engine.db)
    await migrate(engine, migrations, 5)
    expect(await engine.db.selectFrom('upstream_credential').selectAll().execute()).toEqual([
      {
        id: 'cred_with',
        upstream_id: 'with',
        name: 'first',
        value_sealed: 'sealed text',
        hint: '',
        origin: 'https://one.example/v1',
        enabled: 1,
        created_at: 3,
        requests_per_minute: null,
        tokens_per_minute: null,
        concurrent_requests: null,
      },
    ])
    const rows = await engine.db.selectFrom('upstream').selectAll().orderBy('id').execute()
    // Processes of the former version still read the old column.
    expect(rows.map((row) => row.credential_sealed)).toEqual(['sealed text', null])
    expect(rows[0]).toMatchObject({ settings: '{}', enabled: 1, proxy_sealed: null })
  })

  test('accounts that existed before recordings record nothing; the version before works beside', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    const { db } = engine
    const former = migrations.filter(({ id }) => id < '0031')
    await migrate(engine, former, 1)
    const addAccount = (id: string) =>
      sql`INSERT INTO account (id, name, status, available_nano, created_at)
        VALUES (${id}, ${id}, 'active', 0, 1)`.execute(db)
    const recordedKeysOf = async (id: string) =>
      (await openAccountDirectory(engine).find(id))?.recordedKeys
    await addAccount('acme')
    await migrate(engine, migrations, 2)
    expect(await findPolicy(db, 'acme')).toMatchObject({ scope: 'off', storedBytes: 0 })
    expect(await recordedKeysOf('acme')).toBeUndefined()
    const vault = createVault(Buffer.from('a secret of the tests, long enough'))
    const place = { engine, vault, nowMs: () => Date.now() }
    await setPolicy(place, { scope: 'all' })
    const id = await addRecording(place)
    // A process of the version before starts, and changes the accounts.
    expect(await migrate(engine, former, 3)).toEqual([])
    await addAccount('globex')
    await sql`UPDATE account SET status = 'suspended' WHERE id = 'acme'`.execute(db)
    expect(await recordedKeysOf('globex')).toBeUndefined()
    expect(await recordedKeysOf('acme')).toBe('all')
    expect((await findRecording(db, vault, id))?.content.endUsers).toEqual(['ann'])
  })

  test('existing logins: those invited by an owner are restricted, all others are verified', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    await migrate(
      engine,
      migrations.filter(({ id }) => id < '0012'),
      1,
    )
    const { db } = engine
    await sql`INSERT INTO account (id, name, status, available_nano, created_at) VALUES
      ('acme', 'Acme', 'active', 0, 1), ('globex', 'Globex', 'active', 0, 1)`.execute(db)
    const people = [
      // id, role, open_id, created_at
      ['u_root', 'admin', null, 1],
      ['u_file', 'member', null, 1],
      ['u_owner', 'member', null, 2],
      ['u_invited', 'member', null, 10],
      ['u_added', 'member', null, 11],
      ['u_known', 'member', null, 3],
      ['u_risen', 'admin', null, 12],
      ['u_linked', 'member', 'issuer subject', 13],
    ] as const
    for (const [id, role, openId, at] of people) {
      await sql`INSERT INTO console_user (id, email, role, open_id, password_hash, totp_sealed, created_at)
        VALUES (${id}, ${`${id}@x.org`}, ${role}, ${openId}, 'hash', 'sealed', ${at})`.execute(db)
      await sql`INSERT INTO session (token_hash, user_id, created_at, expires_at)
        VALUES (${id}, ${id}, 1, 99)`.execute(db)
      await sql`INSERT INTO sign_in_link (token_hash, user_id, expires_at)
        VALUES (${id}, ${id}, 99)`.execute(db)
    }
    // Added by an owner or an administrator, with a new login (at the same moment) or with an existing one.
    const added = [
      ['u_owner', 10, 'acme', 'u_invited'],
      ['u_root', 11, 'acme', 'u_added'],
      ['u_owner', 14, 'acme', 'u_known'],
      ['u_owner', 12, 'globex', 'u_risen'],
      ['u_owner', 13, 'acme', 'u_linked'],
      ['u_owner', 15, 'globex', 'u_invited'],
    ] as const
    for (const [actor, at, accountId, userId] of added) {
      const after = JSON.stringify({ userId, email: `${userId}@x.org`, role: 'member' })
      await sql`INSERT INTO audit (at, actor, action, subject, after)
        VALUES (${at}, ${actor}, 'member.added', ${accountId}, ${after})`.execute(db)
    }
    await migrate(engine, migrations, 20)
    const rows = await db.selectFrom('console_user').selectAll().orderBy('id').execute()
    const sessions = await db.selectFrom('session').select('user_id').execute()
    const links = await db.selectFrom('sign_in_link').select('user_id').execute()
    const has = (list: readonly { user_id: string }[], id: string) =>
      list.some((each) => each.user_id === id)
    const told = rows.map((row) => [
      row.id,
      row.invited_to,
      row.invited_email,
      row.proof,
      row.password_hash !== null && row.totp_sealed !== null && has(sessions, row.id),
      has(links, row.id),
    ])
    expect(told).toEqual([
      // id, confined to, address, proof, keeps password, app and session, keeps links
      ['u_added', null, null, 'operator', true, true],
      ['u_file', null, null, 'operator', true, true],
      ['u_invited', 'acme', 'u_invited@x.org', null, true, false],
      ['u_known', null, null, 'operator', true, true],
      ['u_linked', null, null, 'open-id', false, false],
      ['u_owner', null, null, 'operator', true, true],
      ['u_risen', null, null, 'operator', false, false],
      ['u_root', null, null, 'operator', true, true],
    ])
    // No user is locked out: restricted logins still sign in with the address.
    expect(rows.map((row) => row.email)).toEqual(rows.map((row) => `${row.id}@x.org`))
    for (const id of ['u_linked', 'u_risen']) {
      const row = rows.find((each) => each.id === id)
      expect([row?.password_hash, row?.totp_sealed, has(sessions, id)]).toEqual([null, null, false])
    }
  })
})
