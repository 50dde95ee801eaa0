import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import type { Migration } from '../../../src/store/migrations/migration.ts'
import { atEnd } from '../../support/at-end.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'
import { failureOf } from '../../support/store/failure-of.ts'
import { runWords } from '../../unit/cli/run-line.ts'

/** Changes that the next version might make to the tables. */
const added: Migration = {
  id: '9001-added',
  isAdditive: true,
  statements: [
    'CREATE TABLE thing (id TEXT PRIMARY KEY)',
    'ALTER TABLE account ADD COLUMN colour TEXT',
    'ALTER TABLE api_key ADD COLUMN weight BIGINT NOT NULL DEFAULT 7',
    'CREATE INDEX account_colour ON account (colour)',
  ],
}
const removed: Migration = {
  id: '9002-removed',
  statements: ['ALTER TABLE account RENAME COLUMN name TO title'],
}
const alerts = '0025-alerts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-downgrade-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))

describe.each(engineFixtures('downgrade'))('the previous version on $kind', (fixture) => {
  const run = (url: string, line: string) =>
    runWords(folder, line.split(' '), {
      env: { TOLLGATE_DATABASE: url, TOLLGATE_SECRET: 'a secret of the tests, long enough' },
    })
  const tablesOf = async ({ db }: Engine) =>
    (await db.introspection.getTables()).map(({ name }) => name)

  test('works on a database to which the next version has only added, and the next version again', async () => {
    const url = await fixture.migratedUrl()
    const engine = await fixture.open(url)
    await migrate(engine, [...migrations, added], 1)
    expect(await migrate(engine, migrations, 2)).toEqual([])
    expect(await run(url, 'accounts create acme --credit 5')).toMatchObject({ code: 0, err: '' })
    expect(await run(url, 'keys create --account acme --name k')).toMatchObject({ code: 0 })
    expect((await run(url, 'audit')).code).toBe(0)
    const doctor = await run(url, 'doctor')
    expect(doctor.out).toContain('a newer version has added 9001-added')
    expect((await run(url, 'migrate')).out).toContain('A newer version has added 9001-added')
    // A backup without the unknown tables would be incomplete.
    const backup = await run(url, `backup ${join(folder, `b-${fixture.kind}`)}`)
    expect(backup.err).toMatch(/^tollgate: .* was last used by a newer version.*\n$/)
    // This version would not seal unknown values again, so the secret stays.
    const rotated = await run(url, 'secret rotate')
    expect([rotated.code, rotated.err]).toEqual([
      1,
      expect.stringContaining('(9001-added), and may have sealed values that this version'),
    ])
    expect((await run(url, 'keys list')).code).toBe(0)
    expect(await migrate(engine, [...migrations, added], 3)).toEqual([])
    const { rows } = await sql<{ weight: number }>`SELECT weight FROM api_key`.execute(engine.db)
    expect(rows).toEqual([{ weight: 7 }])
  })

  test('migrate says what becomes of existing keys, as a start does', async () => {
    const url = await fixture.freshUrl()
    const engine = await fixture.open(url)
    const older = migrations.filter(({ id }) => id < '0021')
    await migrate(engine, older, 1)
    await sql`INSERT INTO account (id, name, available_nano, status, created_at)
      VALUES ('acme', 'Acme', 0, 'active', 1)`.execute(engine.db)
    await sql`INSERT INTO api_key (id, account_id, name, value_hash, value_sealed, value_hint, imported,
      groups, spent_nano, enabled, created_at) VALUES ('old', 'acme', 'old', 'hash', 'sealed', 'hint',
      1, '["default"]', 0, 1, 1)`.execute(engine.db)
    const note = /1 existing key is now a service key of the account.*docs\/keys\.md\.\n$/
    expect((await run(url, 'migrate')).out).toMatch(note)
    expect((await run(url, 'migrate')).out).toBe('The schema is up to date.\n')
  })

  test('does not start when a migration removes something, whatever was added after it', async () => {
    const engine = await fixture.open(await fixture.migratedUrl())
    const list = [...migrations, removed, { ...added, id: '9003-added' }]
    await migrate(engine, list, 1)
    expect(await failureOf(migrate(engine, migrations, 2))).toContain(
      'which this version of Tollgate does not know',
    )
    expect(await migrate(engine, list.slice(0, -1), 2)).toEqual([])
  })

  test('that knows the last migration that is not marked starts on the present schema; an older one does not', async () => {
    const url = await fixture.freshUrl()
    const engine = await fixture.open(url)
    await migrate(engine, migrations, 1)
    const last = migrations.findLastIndex(({ isAdditive }) => isAdditive !== true)
    expect(last).toBeGreaterThan(0)
    expect(await migrate(engine, migrations.slice(0, last + 1), 2)).toEqual([])
    expect(await failureOf(migrate(engine, migrations.slice(0, last), 2))).toContain(
      `The database has migration ${migrations[last]?.id}, which this version`,
    )
    // Without the mark, a downgrade needs a backup; nothing else is lost.
    const unmarked = { id: '9004-unmarked', statements: added.statements }
    await migrate(engine, [...migrations, unmarked], 3)
    expect(await failureOf(migrate(engine, migrations, 4))).toContain('9004-unmarked')
  })

  test('migrate --dry-run prints and tries the statements, and changes nothing', async () => {
    const url = await fixture.freshUrl()
    const engine = await fixture.open(url)
    await migrate(
      engine,
      migrations.filter(({ id }) => id < alerts),
      1,
    )
    const before = await tablesOf(engine)
    expect((await run(url, 'doctor')).out).toMatch(
      new RegExp(`^warn +database +.* opens; migrations ${alerts}, .* are pending`, 'm'),
    )
    const dry = await run(url, 'migrate --dry-run')
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).toContain(`-- ${alerts} (the previous version cannot start afterwards)\n`)
    expect(dry.out).toContain('All of them work on this database')
    expect(await tablesOf(engine)).toEqual(before)
    // The table name of the migration is already taken.
    await sql`CREATE TABLE alert (id TEXT)`.execute(engine.db)
    const failing = await run(url, 'migrate --dry-run')
    expect(failing.err).toContain('The migrations fail on this database, which is unchanged')
    await sql`DROP TABLE alert`.execute(engine.db)
    expect((await run(url, 'migrate')).out).toStartWith(`applied ${alerts}\n`)
    expect((await run(url, 'migrate')).out).toBe('The schema is up to date.\n')
    const remote = await run(url, 'migrate --url https://gateway.example')
    expect([remote.code, remote.err]).toEqual([2, expect.stringContaining('when it starts')])
  })
})

test('migrate --dry-run does not create a database', async () => {
  const path = join(folder, 'none.db')
  const said = await runWords(folder, ['migrate', '--dry-run'], {
    env: { TOLLGATE_DATABASE: `sqlite://${path}` },
  })
  expect(said.out).toContain('does not exist yet')
  expect(existsSync(path)).toBe(false)
})

/** Statements after which every statement of a former version still works and has the same meaning. */
const additions = [
  /^CREATE TABLE (?<made>\w+) /,
  /^CREATE INDEX \w+ ON \w+ /,
  /^DROP INDEX \w+$/,
  /^ALTER TABLE (?<table>\w+) ADD COLUMN (?<column>\w+) (?:TEXT|BIGINT)(?: NOT NULL DEFAULT \S+)?$/,
]

test('a migration that is marked as additive only adds', () => {
  const marked = migrations.filter(({ isAdditive }) => isAdditive === true)
  expect(marked.length).toBeGreaterThan(0)
  for (const { id, statements } of marked) {
    const made: string[] = []
    const filled: string[] = []
    const others = statements.filter((each) => {
      if (typeof each !== 'string') return true
      const found = additions.map((pattern) => pattern.exec(each)).find((match) => match !== null)
      const { made: table, table: changed, column } = found?.groups ?? {}
      if (table !== undefined) made.push(table)
      if (column !== undefined) filled.push(`UPDATE ${changed} SET ${column} = (SELECT `)
      // Former versions do not know a new column.
      if (filled.some((start) => each.startsWith(start))) return false
      // Former versions have no rows in a new table that could violate its rules.
      const isOfNew = (table: string) =>
        each.includes(` ON ${table} (`) || each.startsWith(`INSERT INTO ${table} (`)
      return !found && !made.some(isOfNew)
    })
    expect([id, others]).toEqual([id, []])
  }
})
