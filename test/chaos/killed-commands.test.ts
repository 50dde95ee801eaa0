import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Engine } from '../../src/store/engine.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { eventually } from '../support/eventually.ts'
import { patience } from '../support/patience.ts'
import { repeats } from '../support/repeats.ts'
import { shortLived } from '../support/short-lived.ts'
import { type EngineFixture, engineFixtures } from '../support/store/engine-fixture.ts'
import { runWords } from '../unit/cli/run-line.ts'
import { builtGateway, removeBuiltGateway } from './built-gateway.ts'
import { between, oneOf, type Random, seededRandom } from './chaos-seed.ts'
import { tracer } from './gateway-life.ts'
import { stracePath } from './strace-path.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-killed-'))
afterAll(async () => {
  await removeBuiltGateway()
  rmSync(folder, { recursive: true, force: true })
})

const secret = 'a secret of the tests, long enough'
const timeoutMs = patience(300_000)
const killsEach = repeats(2, 4)
/** A database of the version before budgets: some tables less. */
const formerCount = 18

const envOf = (url: string) => ({
  TOLLGATE_SECRET: secret,
  TOLLGATE_DATABASE: url,
  TOLLGATE_DEMO: 'off',
})

type Calls = readonly [readonly [string, number], ...(readonly [string, number])[]]

/** System calls with the largest count at which one kills the command. Each command makes at least about so many. */
const callsOf = {
  migrate: {
    sqlite: [
      ['pwrite64', 150],
      ['fsync', 4],
    ],
    postgres: [
      ['sendto', 12],
      ['recvfrom', 12],
    ],
  },
  restore: {
    sqlite: [
      ['pwrite64', 1_500],
      ['fsync', 4],
    ],
    postgres: [
      ['sendto', 140],
      ['recvfrom', 140],
    ],
  },
  backup: {
    sqlite: [
      ['write', 50],
      ['fsync', 1],
      ['link', 1],
      ['unlink', 1],
    ],
    postgres: [
      ['recvfrom', 240],
      ['fsync', 1],
      ['link', 1],
      ['unlink', 1],
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<Engine['kind'], Calls>>>>

async function runKilled(
  strace: string,
  { url, args, calls }: { url: string; args: readonly string[]; calls: Calls },
  random: Random,
): Promise<{ isKilled: boolean; text: string }> {
  const [name, most] = oneOf(random, calls)
  const call = { strace, name, count: between(random, 1, most) }
  const child = Bun.spawn([...tracer(call), await builtGateway(), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...shortLived, ...envOf(url) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const isKilled = child.signalCode === 'SIGKILL'
  if (!isKilled && code !== 0) throw new Error(`${args.join(' ')} failed: ${out}${err}`)
  return { isKilled, text: `${name} ${call.count}: ${isKilled ? 'killed' : 'done'}` }
}

async function inDatabase<Value>(url: string, work: (engine: Engine) => Promise<Value>) {
  const engine = await openStore(url)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** All tables with their columns and rows, as texts. Moments at which a command ran are left out. */
function contentOf(url: string): Promise<Readonly<Record<string, readonly string[]>>> {
  return inDatabase(url, async (engine) => {
    if (engine.kind === 'postgres') await withoutOthers(engine)
    const { rows: tables } = await sql<{ name: string }>`${sql.raw(
      engine.kind === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )}`.execute(engine.db)
    const all: Record<string, readonly string[]> = {}
    for (const { name } of partitionsLeftOut(tables).toSorted((one, other) =>
      one.name.localeCompare(other.name),
    )) {
      const { rows } = await sql.raw<object>(`SELECT * FROM ${name}`).execute(engine.db)
      all[name] = rows.map(textOf).filter(isLasting).sort()
    }
    return all
  })
}

/** A restore creates partitions for the months to come. */
function partitionsLeftOut(tables: readonly { readonly name: string }[]) {
  return tables.filter(({ name }) => !/_\d{4}_\d\d$/.test(name))
}

const isLasting = (text: string) => !text.includes('"last-backup"')

function textOf(row: object): string {
  const kept = Object.entries(row).filter(([name]) => !['applied_at', 'search_text'].includes(name))
  return JSON.stringify(
    kept.sort(([one], [other]) => one.localeCompare(other)),
    (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value),
  )
}

/** The server may still work for a client that was killed. */
async function withoutOthers(engine: Engine): Promise<void> {
  await eventually('the sessions of the killed command have ended', async () => {
    const { rows } = await sql<{ left: number }>`
      SELECT CAST(count(*) AS INTEGER) AS left FROM pg_stat_activity
      WHERE datname = current_database() AND application_name <> ''
        AND pid NOT IN (SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'idle')
        AND pid <> pg_backend_pid()`.execute(engine.db)
    return rows[0]?.left === 0
  })
}

async function tollgate(url: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await runWords(folder, args, { env: envOf(url) })
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${out}${err}`)
  return out
}

/** A database of an earlier version, with an account, a key and entries. */
async function formerDatabase(fixture: EngineFixture): Promise<string> {
  const url = await fixture.freshUrl()
  await inDatabase(url, async (engine) => {
    await migrate(engine, migrations.slice(0, formerCount), 1)
    await sql`INSERT INTO account (id, name, status, available_nano, created_at)
      VALUES ('acme', 'Acme', 'active', 5, 1)`.execute(engine.db)
    for (let at = 0; at < 40; at += 1) {
      await sql`INSERT INTO api_key (id, account_id, name, value_hash, value_sealed, value_hint, imported,
        groups, available_nano, quota_nano, spent_nano, enabled, created_at)
        VALUES (${`k${at}`}, 'acme', ${`key ${at}`}, ${`h${at}`}, 's', '…', 0, '[]', 7, 9, 2, 1, 1)`.execute(
        engine.db,
      )
    }
  })
  return url
}

async function presentDatabase(fixture: EngineFixture, accounts: readonly string[]) {
  const url = await fixture.freshUrl()
  for (const id of accounts) await tollgate(url, 'accounts', 'create', id, '--credit', '12.5')
  await tollgate(url, 'keys', 'create', '--account', accounts[0] ?? '', '--name', 'laptop')
  return url
}

const strace = stracePath('chaos: killed commands')

describe.each(strace === undefined ? [] : engineFixtures('killed commands'))(
  'kill -9 of a command on $kind',
  (fixture) => {
    const random = seededRandom(fixture.kind === 'sqlite' ? 21 : 22)
    const tracerPath = strace ?? ''

    /** Kills a command that changes the database: the database is as before or as afterwards, never in between. */
    async function killChanging(original: string, args: readonly string[], calls: Calls) {
      const before = await contentOf(original)
      const finished = await fixture.copyUrl(original)
      await tollgate(finished, ...args)
      const after = await contentOf(finished)
      expect(after).not.toEqual(before)
      const seen: string[] = []
      for (let kill = 0; kill < killsEach; kill += 1) {
        const url = await fixture.copyUrl(original)
        const { isKilled, text } = await runKilled(tracerPath, { url, args, calls }, random)
        seen.push(text)
        const content = await contentOf(url)
        const isAfter = JSON.stringify(content) === JSON.stringify(after)
        if (isKilled && !isAfter) {
          expect([text, content]).toEqual([text, before])
          await tollgate(url, ...args)
        }
        expect([text, await contentOf(url)]).toEqual([text, after])
      }
      process.stdout.write(`FIGURES: ${args[0]} on ${fixture.kind}: ${seen.join(', ')}\n`)
      expect(seen.some((text) => text.endsWith('killed'))).toBe(true)
    }

    test(
      'migrate: no half migration, and nothing is lost',
      async () => {
        await killChanging(
          await formerDatabase(fixture),
          ['migrate'],
          callsOf.migrate[fixture.kind],
        )
      },
      timeoutMs,
    )

    test(
      'restore: the former rows or those of the backup, never a mixture',
      async () => {
        const source = await presentDatabase(fixture, ['acme', 'bolt', 'crate'])
        const file = join(folder, `${fixture.kind}-whole`)
        await tollgate(source, 'backup', file)
        const target = await presentDatabase(fixture, ['dime'])
        const args = ['restore', file, '--replace', '--yes']
        await killChanging(target, args, callsOf.restore[fixture.kind])
      },
      timeoutMs,
    )

    test(
      'backup: the file is complete or absent, and only this user can read what is left',
      async () => {
        const source = await presentDatabase(fixture, ['acme', 'bolt'])
        const before = await contentOf(source)
        const seen: string[] = []
        for (let kill = 0; kill < killsEach; kill += 1) {
          const file = join(folder, `${fixture.kind}-${kill}`)
          const command = {
            url: source,
            args: ['backup', file],
            calls: callsOf.backup[fixture.kind],
          }
          const { text } = await runKilled(tracerPath, command, random)
          seen.push(text)
          for (const name of readdirSync(folder))
            expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0])
          if (!existsSync(file)) await tollgate(source, 'backup', file)
          const restored = await fixture.freshUrl()
          await tollgate(restored, 'restore', file)
          expect([text, await contentOf(restored)]).toEqual([text, before])
        }
        process.stdout.write(`FIGURES: backup on ${fixture.kind}: ${seen.join(', ')}\n`)
        expect(await contentOf(source)).toEqual(before)
      },
      timeoutMs,
    )
  },
)
