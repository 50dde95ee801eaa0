import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { findPolicy } from '../../../src/recording/policy-store.ts'
import { findRecording } from '../../../src/recording/read-recordings.ts'
import { BackupProblem } from '../../../src/store/backup/backup-problem.ts'
import { readBackup } from '../../../src/store/backup/read-backup.ts'
import { objectsOf } from '../../../src/store/backup/table-list.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { openVault } from '../../../src/store/secrets/open-vault.ts'
import { atEnd } from '../../support/at-end.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { type EngineFixture, engineFixtures } from '../../support/store/engine-fixture.ts'
import { addRecording, setPolicy } from '../../support/store/recording-seed.ts'
import { runWords, type ScriptedReply } from '../../unit/cli/run-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-backup-'))
atEnd(() => rmSync(folder, { recursive: true, force: true }))
const secret = 'a secret of the tests, long enough'
const fixtures = engineFixtures('backup')
const prompt = 'A prompt that only the secret opens'
const nothing = async () => undefined
let names = 0

function newPath(): string {
  names += 1
  return join(folder, `backup-${names}`)
}

/** A command on one database, with this or another secret. */
function tollgate(url: string, words: string, withSecret: string = secret): Promise<ScriptedReply> {
  const env = { TOLLGATE_SECRET: withSecret, TOLLGATE_DATABASE: url, TOLLGATE_DEMO: 'off' }
  return runWords(folder, words.split(' '), { env })
}

async function rowsOf(url: string): Promise<Record<string, unknown[]>> {
  const engine = await openStore(url)
  try {
    const all: Record<string, unknown[]> = {}
    for (const table of objectsOf(migrations, engine.kind).tables) {
      const { rows } = await sql.raw<object>(`SELECT * FROM ${table}`).execute(engine.db)
      const texts = rows.map((row) =>
        JSON.stringify(
          Object.entries(row)
            .filter(([name]) => name !== 'search_text')
            .sort(([one], [other]) => one.localeCompare(other)),
          (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
        ),
      )
      all[table] = texts.sort()
    }
    return all
  } finally {
    await engine.close()
  }
}

async function change(
  url: string,
  work: (db: Engine['db'], engine: Engine) => Promise<unknown>,
): Promise<void> {
  const engine = await openStore(url)
  try {
    await work(engine.db, engine)
  } finally {
    await engine.close()
  }
}

const originals = new Map<EngineFixture, Promise<Original>>()

/** A database that no test changes, and its backup. */
interface Original {
  readonly url: string
  readonly backup: string
}

function originalOf(fixture: EngineFixture): Promise<Original> {
  const original = originals.get(fixture) ?? fill(fixture).then(backUpOriginal)
  originals.set(fixture, original)
  return original
}

async function backUpOriginal(url: string): Promise<Original> {
  return { url, backup: await backedUp(url) }
}

/** The same in a copy. */
async function filled(fixture: EngineFixture): Promise<string> {
  return fixture.copyUrl((await originalOf(fixture)).url)
}

/** A database with cases that a backup could get wrong. */
async function fill(fixture: EngineFixture): Promise<string> {
  const url = await fixture.freshUrl()
  expect(await tollgate(url, 'accounts create acme --credit 12.5')).toMatchObject({ code: 0 })
  expect(await tollgate(url, 'keys create --account acme --name laptop')).toMatchObject({ code: 0 })
  await change(url, record)
  await change(url, async (db) => {
    const token = { scopes: '[]', made_by: 'cli', created_at: 1, value_hint: '…' }
    await sql`UPDATE account SET name = ${'Ünï "\\ \n\t 漢字 🎈'}, available_nano = ${9_223_372_036_854_775_000n}
      WHERE id = 'acme'`.execute(db)
    // The parent sorts after its child.
    await db
      .insertInto('admin_token')
      .values({ id: 'z', name: 'z', value_hash: 'z', ...token })
      .execute()
    await db
      .insertInto('admin_token')
      .values({ id: 'a', name: 'a', value_hash: 'a', parent_id: 'z', ...token })
      .execute()
    await sql`INSERT INTO change (topic, subject, at) VALUES ('key', 'a', 1), ('key', 'b', 1)`.execute(
      db,
    )
    await sql`DELETE FROM change`.execute(db)
    for (let at = 0; at < 30; at += 1) {
      const id = `0190${String(at).padStart(4, '0')}-0000-7000-8000-000000000000`
      await sql`INSERT INTO uncovered (request_id, uncovered_nano) VALUES (${id}, ${-7n})`.execute(
        db,
      )
    }
  })
  return url
}

async function vaultIn(db: Engine['db']) {
  const vault = await openVault(db, [secret])
  if (!vault) throw new Error('neither secret fits')
  return vault
}

/** Enables recording for the account, and adds a recording. */
async function record(db: Engine['db'], engine: Engine): Promise<void> {
  const place = { engine, vault: await vaultIn(db), nowMs: () => Date.now() }
  await setPolicy(place, { scope: 'all', readers: 'members', retentionDays: 9 })
  await addRecording(place, { request: prompt, endUser: 'ann@example.com' })
}

async function backedUp(url: string): Promise<string> {
  const path = newPath()
  expect(await tollgate(url, `backup ${path}`)).toMatchObject({ code: 0, err: '' })
  return path
}

describe.each(fixtures)('a backup of $kind', (fixture) => {
  test.each(fixtures)(
    'is restored to $kind, row for row, and the numbering continues',
    async (other) => {
      const from = await filled(fixture)
      // The time of the backup is stored after it.
      const before = await rowsOf(from)
      const path = await backedUp(from)
      const to = await other.freshUrl()
      const said = await tollgate(to, `restore ${path}`)
      expect(said.err).toBe('')
      expect(said.out).toContain('rows restored')
      expect(await rowsOf(to)).toEqual(before)
      const seqs: number[] = []
      for (const url of [from, to]) {
        await change(url, async (db) => {
          const { rows } = await sql<{ seq: number }>`INSERT INTO change (topic, subject, at)
          VALUES ('key', 'c', 2) RETURNING seq`.execute(db)
          seqs.push(Number(rows[0]?.seq))
        })
      }
      expect(seqs[1]).toBe(seqs[0])
      expect(seqs[0]).toBeGreaterThan(2)
      // References are checked again afterwards.
      await change(to, async (db) => {
        const wrong =
          sql`INSERT INTO credit (id, account_id, amount_nano, source, external_id, reason, created_at)
        VALUES ('c', 'nobody', 1, 's', 'e', 'r', 1)`.execute(db)
        expect(
          await wrong.then(
            () => 'taken',
            () => 'refused',
          ),
        ).toBe('refused')
      })
    },
  )

  test.each(fixtures)(
    'has recordings sealed, and $kind has them and their settings afterwards',
    async (other) => {
      const { backup } = await originalOf(fixture)
      const text = gunzipSync(readFileSync(backup)).toString()
      expect(text).toContain('"table":"recording"')
      for (const plain of [prompt, 'ann@example.com', 'gpt-x"}']) expect(text).not.toContain(plain)
      const to = await other.freshUrl()
      expect(await tollgate(to, `restore ${backup}`)).toMatchObject({ err: '' })
      await change(to, async (db) => {
        const rows = await db.selectFrom('recording').select('request_id').execute()
        expect(rows.length).toBe(1)
        const found = await findRecording(db, await vaultIn(db), rows[0]?.request_id ?? '')
        expect(Buffer.from(found?.content.request.bytes ?? []).toString()).toBe(prompt)
        expect(found?.content.endUsers).toEqual(['ann@example.com'])
        const policy = await findPolicy(db, 'acme')
        expect(policy).toMatchObject({ scope: 'all', readers: 'members', retentionDays: 9 })
        expect(policy.storedBytes).toBeGreaterThan(0)
      })
    },
  )

  test('sees one moment, while others write', async () => {
    const url = await filled(fixture)
    const engine = await fixture.open(url)
    await engine.readSnapshot(async (snapshot) => {
      const before = await snapshot.rows('SELECT COUNT(*) AS n FROM uncovered')
      await sql`DELETE FROM uncovered`.execute(engine.db)
      const walk = await snapshot.walk('SELECT request_id FROM uncovered')
      const lengths: number[] = []
      for (let rows = await walk.next(20); rows.length > 0; rows = await walk.next(20))
        lengths.push(rows.length)
      expect(before).toEqual([{ n: 30 }])
      expect(lengths).toEqual([20, 10])
    })
    const { rows } = await sql`SELECT * FROM uncovered`.execute(engine.db)
    expect(rows).toEqual([])
  })

  test('only its owner can read the file, and no file is overwritten', async () => {
    const { url, backup: path } = await originalOf(fixture)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const before = readFileSync(path)
    const again = await tollgate(url, `backup ${path}`)
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toContain('already exists')
    expect(readFileSync(path)).toEqual(before)
    expect(/sk-\w{8}/.test(gunzipSync(before).toString())).toBe(false)
  })

  test('a database with rows is replaced only on request', async () => {
    const { backup: path } = await originalOf(fixture)
    const to = await filled(fixture)
    await change(to, (db) => db.deleteFrom('api_key').execute())
    const before = await rowsOf(to)
    const refused = await tollgate(to, `restore ${path}`)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('is not empty')
    expect(await rowsOf(to)).toEqual(before)
    expect(await tollgate(to, `restore ${path} --replace`)).toMatchObject({ code: 2 })
    expect(await rowsOf(to)).toEqual(before)
    const replaced = await tollgate(to, `restore ${path} --replace --yes`)
    expect(replaced.err).toBe('')
    expect((await rowsOf(to))['api_key']?.length).toBe(1)
  })

  test('nothing is restored under a running gateway, with another secret, or without one', async () => {
    const { backup: path } = await originalOf(fixture)
    const to = await filled(fixture)
    const before = await rowsOf(to)
    const other = await tollgate(
      to,
      `restore ${path} --replace --yes`,
      'another secret of the tests, long enough',
    )
    expect(other.err).toContain('belongs to another secret')
    expect(await rowsOf(to)).toEqual(before)
    await change(to, (db) =>
      db
        .insertInto('replica')
        .values({ id: 'one', epoch: 3, lived_epoch: 3, seen_at: Date.now() })
        .execute(),
    )
    const running = await tollgate(to, `restore ${path} --replace --yes`)
    expect(running.err).toContain('Replica "one" is running')
    const none = await runWords(folder, ['restore', path], {
      env: { TOLLGATE_DATABASE: to, TOLLGATE_DATA: join(folder, 'no-data') },
    })
    expect(none.err).toContain('only with the secret of its database')
  })

  test('any changed byte is noticed, as a damaged file', async () => {
    const { backup: path } = await originalOf(fixture)
    const text = gunzipSync(readFileSync(path))
    const next = seededRandom(5)
    const reader = { head: nothing, table: nothing, row: nothing }
    for (let round = 0; round < 200; round += 1) {
      const bytes = Uint8Array.from(text)
      // Every other one is in the first line, which has most of the structure.
      const at = Math.floor(next() * (round % 2 === 0 ? text.indexOf(10) : bytes.length))
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8))
      const bad = newPath()
      writeFileSync(bad, gzipSync(bytes, { level: 1 }))
      const said = await readBackup(bad, reader).catch((error: unknown) => error)
      expect(said, `byte ${at}`).toBeInstanceOf(BackupProblem)
    }
  })

  test('a damaged file restores nothing', async () => {
    const { backup: path } = await originalOf(fixture)
    const whole = readFileSync(path)
    const lines = gunzipSync(whole).toString().split('\n')
    const edited = (edit: (text: string) => string) => gzipSync(edit(lines.join('\n')))
    const cases: Record<string, Uint8Array> = {
      truncated: whole.subarray(0, whole.length - 40),
      'without its last line': gzipSync(`${lines.slice(0, -2).join('\n')}\n`),
      'with a changed amount': edited((text) => text.replace('-7', '-8')),
      'with a missing row': edited((text) => text.replace(/\[[^\n]*-7\]\n/, '')),
      'with another table': edited((text) =>
        text.replace('"table":"uncovered"', '"table":"sqlite_master"'),
      ),
      'with a migration of another version': edited((text) =>
        text.replace(/"hash":"./, '"hash":"?'),
      ),
      'without migrations': edited((text) => text.replace('"migrations"', '"migrationz"')),
      'without columns': edited((text) => text.replace('"columns"', '"columnz"')),
      'with columns of another kind': edited((text) =>
        text.replace('"columns":[', '"columns":[7,'),
      ),
      'with a sequence of another kind': edited((text) =>
        text.replace(/"sequence":[^}]*/, '"sequence":"1"'),
      ),
      'without a hash': edited((text) => text.replace('"sha256"', '"sha255"')),
      'with a flipped byte': whole.map((byte, at) => (at === whole.length >> 1 ? byte ^ 1 : byte)),
      empty: new Uint8Array(),
      text: Buffer.from('no backup'),
      'with text after the end': edited((text) => `${text}{"table":"account","columns":[]}\n`),
    }
    const to = await filled(fixture)
    const before = await rowsOf(to)
    for (const [name, bytes] of Object.entries(cases)) {
      const bad = newPath()
      writeFileSync(bad, bytes)
      const said = await tollgate(to, `restore ${bad} --replace --yes`)
      expect([name, said.code, said.err]).toEqual([name, 1, expect.stringContaining('not a whole')])
    }
    expect(await rowsOf(to)).toEqual(before)
    const missing = await tollgate(to, `restore ${newPath()} --replace --yes`)
    expect(missing.err).toContain('There is no file')
  })

  test('an older schema is backed up as it is, and migrated when it is restored', async () => {
    const url = await fixture.freshUrl()
    const engine = await fixture.open(url)
    await migrate(engine, migrations.slice(0, -3), 1)
    await sql`INSERT INTO account (id, name, status, available_nano, created_at)
      VALUES ('old', 'Old', 'active', 0, 1)`.execute(engine.db)
    const path = await backedUp(url)
    const { rows } = await sql`SELECT id FROM migration`.execute(engine.db)
    expect(rows.length).toBe(migrations.length - 3)
    const to = await fixture.freshUrl()
    const said = await tollgate(to, `restore ${path}`)
    const newer = migrations.slice(-3).map(({ id }) => id)
    expect(said.out).toContain(`Applied the newer migrations ${newer.join(', ')}.`)
    expect((await rowsOf(to))['account']?.length).toBe(1)
  })

  test('an empty database has no backup, and leaves no file', async () => {
    const path = newPath()
    const said = await tollgate(await fixture.freshUrl(), `backup ${path}`)
    expect(said.err).toContain('nothing to back up')
    expect(() => statSync(path)).toThrow()
  })
})

test('backup and restore work on this machine only', async () => {
  for (const name of ['backup', 'restore']) {
    const said = await runWords(folder, [name, 'x', '--url', 'https://gateway.example'])
    expect([said.code, said.err]).toEqual([2, expect.stringContaining('admin API never gives out')])
  }
})
