import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { migrate } from '../../src/store/migrate.ts'
import { hashOf, type Migration } from '../../src/store/migration.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { engineStages } from './engine-stage.ts'
import { failureOf } from './failure-of.ts'

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

test('a migration is known by all of its text', () => {
  expect(hashOf(thing)).toBe(hashOf({ ...thing, id: 'other' }))
  expect(hashOf(thing)).not.toBe(hashOf({ ...thing, statements: ['CREATE TABLE thing (id text)'] }))
})

test('the ids of the list rise: a migration never goes in between', () => {
  expect(allIds).toEqual([...allIds].sort())
  expect(new Set(allIds).size).toBe(allIds.length)
})

describe.each(engineStages('migrations'))('migrations on $kind', (stage) => {
  /** A database that no other test has changed, for these tests change the schema. */
  const openMigrated = async (): Promise<Engine> => {
    const engine = await stage.open(await stage.freshUrl())
    await migrate(engine, migrations, 1)
    return engine
  }

  test('a fresh database gets all of them, once', async () => {
    const engine = await stage.open(await stage.freshUrl())
    expect(await migrate(engine, migrations, 5)).toEqual(allIds)
    expect(await migrate(engine, migrations, 6)).toEqual([])
    expect(await appliedIds(engine)).toEqual(allIds)
    const { rows } = await sql<{
      applied_at: number
    }>`SELECT DISTINCT applied_at FROM migration`.execute(engine.db)
    expect(rows).toEqual([{ applied_at: 5 }])
  })

  test('only what is new is applied', async () => {
    const engine = await openMigrated()
    expect(await migrate(engine, [...migrations, thing], 7)).toEqual([thing.id])
    expect(await appliedIds(engine)).toEqual([...allIds, thing.id])
  })

  test('several processes that start at once: one does the work, none fails', async () => {
    const url = await stage.freshUrl()
    const engines = await Promise.all([1, 2, 3, 4].map(() => stage.open(url)))
    const done = await Promise.all(engines.map((engine) => migrate(engine, migrations, 5)))
    expect(done.flat()).toEqual(allIds)
    for (const engine of engines) expect(await appliedIds(engine)).toEqual(allIds)
  })

  test('changed text is refused, and nothing is applied', async () => {
    const engine = await openMigrated()
    const changed = migrations.map((each) => ({ ...each, statements: [...each.statements, '--'] }))
    expect(await failureOf(migrate(engine, [...changed, thing], 7))).toContain(
      `Migration ${allIds[0]} of the database was made from other text`,
    )
    expect(await appliedIds(engine)).toEqual(allIds)
  })

  test('a database of a newer version is refused', async () => {
    const engine = await openMigrated()
    await migrate(engine, [...migrations, thing], 7)
    expect(await failureOf(migrate(engine, migrations, 8))).toContain(
      `The database has migration ${thing.id}, which this version of Tollgate does not know`,
    )
  })

  test('a migration that fails half way leaves nothing behind, and the engine goes on', async () => {
    const engine = await openMigrated()
    expect(await failureOf(migrate(engine, [...migrations, thing, broken], 7))).toMatch(/half/)
    expect(await appliedIds(engine)).toEqual(allIds)
    expect(await failureOf(sql`SELECT * FROM half`.execute(engine.db))).toMatch(/half/)
    expect(await migrate(engine, [...migrations, thing], 8)).toEqual([thing.id])
  })

  test('the credential that an upstream had becomes its first, bound to its address', async () => {
    const engine = await stage.open(await stage.freshUrl())
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
      },
    ])
    const rows = await engine.db.selectFrom('upstream').selectAll().orderBy('id').execute()
    // Processes of the former version go on reading the column that they know.
    expect(rows.map((row) => row.credential_sealed)).toEqual(['sealed text', null])
    expect(rows[0]).toMatchObject({ settings: '{}', enabled: 1, proxy_sealed: null })
  })
})
