import { afterAll, afterEach } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { type FreshOptions, freshDatabase } from '../postgres/fresh-database.ts'
import { postgresServerUrl } from '../postgres/postgres-server-url.ts'
import { copyMigratedFile } from '../sqlite/copy-migrated-file.ts'

/** One kind of engine, for which all tests of a list run. */
export interface EngineFixture {
  readonly kind: Engine['kind']
  /** The URL of a new empty database. */
  freshUrl(): Promise<string>
  /** The URL of a new database with the schema and without rows. */
  migratedUrl(): Promise<string>
  /** The URL of a copy of a database that has no open connection. */
  copyUrl(url: string): Promise<string>
  /** Another engine on the database, like that of another process. */
  open(url: string): Promise<Engine>
  /** An engine on a database with the schema and without rows. */
  openMigrated(): Promise<Engine>
  /** The same, with a second engine on the same database. */
  openTwo(): Promise<[Engine, Engine]>
}

type Deletion = () => Promise<void>

/** One entry for each engine that this machine has. Everything that a test opens is closed after it. */
export function engineFixtures(name: string): EngineFixture[] {
  return fixturesOf(name, false)
}

/**
 * The same for tests that leave no running work behind: on Postgres, tests share the migrated engine instead of opening
 * it anew. Opening its connections, each of which reads the catalogue, costs more than most tests.
 */
export function sharedFixtures(name: string): EngineFixture[] {
  return fixturesOf(name, true)
}

function fixturesOf(name: string, isKept: boolean): EngineFixture[] {
  const engines: Engine[] = []
  const deletions: Deletion[] = []
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()))
  })
  afterAll(async () => {
    for (const deletion of deletions) await deletion()
  })
  const open = async (url: string): Promise<Engine> => {
    const engine = await openStore(url)
    engines.push(engine)
    return engine
  }
  const openForAll = async (url: string): Promise<Engine> => {
    const engine = await openStore(url)
    deletions.unshift(() => engine.close())
    return engine
  }
  const newFile = (content: Content) => sqliteUrl(deletions, content)
  const newDatabase = (content: Content) => postgresUrl(deletions, content)
  const sqlite = fixtureOf('sqlite', open, newFile, async () => {
    const url = await newFile('schema')
    const engine = await open(url)
    await migrate(engine, migrations, 1)
    return { url, engine }
  })
  if (postgresServerUrl(`${name} on Postgres`) === undefined) return [sqlite]
  const openOnce = isKept ? openForAll : open
  const openShared = sharedDatabase(openOnce, newDatabase, deletions, isKept)
  return [sqlite, fixtureOf('postgres', open, newDatabase, openShared)]
}

interface Opened {
  readonly url: string
  readonly engine: Engine
}

function fixtureOf(
  kind: Engine['kind'],
  open: (url: string) => Promise<Engine>,
  makeUrl: (content: Content) => Promise<string>,
  openMigratedAt: () => Promise<Opened>,
): EngineFixture {
  return {
    kind,
    freshUrl: () => makeUrl('nothing'),
    migratedUrl: () => makeUrl('schema'),
    copyUrl: (url) => makeUrl({ copyOf: url }),
    open,
    openMigrated: async () => (await openMigratedAt()).engine,
    openTwo: async () => {
      const { url, engine } = await openMigratedAt()
      return [engine, await open(url)]
    },
  }
}

/**
 * Creating a Postgres database takes a quarter of a second, so the tests of a file share one, which is emptied in
 * between.
 */
function sharedDatabase(
  open: (url: string) => Promise<Engine>,
  makeUrl: (content: Content) => Promise<string>,
  deletions: Deletion[],
  isKept: boolean,
): () => Promise<Opened> {
  let shared: { readonly url: string; readonly kept: Engine | undefined } | undefined
  let cleaner: SQL | undefined
  return async () => {
    if (shared !== undefined) {
      const { url, kept } = shared
      cleaner ??= openCleaner(url, deletions)
      await cleaner.unsafe(emptyAll)
      return { url, engine: kept ?? (await open(url)) }
    }
    const url = await makeUrl('schema')
    const engine = await open(url)
    await migrate(engine, migrations, 1)
    shared = { url, kept: isKept ? engine : undefined }
    return { url, engine }
  }
}

/** The content of a new database. */
type Content = 'nothing' | 'schema' | { readonly copyOf: string }

async function sqliteUrl(deletions: Deletion[], content: Content): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-store-'))
  deletions.push(async () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'test.db')
  if (content === 'schema') await copyMigratedFile(path)
  else if (content !== 'nothing') copyFileSync(content.copyOf.replace('sqlite://', ''), path)
  return `sqlite://${path}`
}

async function postgresUrl(deletions: Deletion[], content: Content): Promise<string> {
  const options = typeof content === 'string' ? { isEmpty: content === 'nothing' } : nameOf(content)
  const database = await freshDatabase(options)
  deletions.push(() => database.drop())
  return database.url
}

function nameOf({ copyOf }: { readonly copyOf: string }): FreshOptions {
  return { copyOf: new URL(copyOf).pathname.slice(1) }
}

/**
 * The connection that empties a database is kept from test to test: a new connection first reads the catalogue, which
 * costs ten times as much as the deletions.
 */
function openCleaner(url: string, deletions: Deletion[]): SQL {
  const cleaner = new SQL(url, { max: 1, idleTimeout: 0 })
  deletions.unshift(() => cleaner.close())
  return cleaner
}

/**
 * Deletes the rows of all tables except the list of migrations, and resets sequences. Deleting a few rows costs a fifth
 * of TRUNCATE, which creates new files for each table and index.
 */
const emptyAll = `
  DO $$
  DECLARE name text;
  BEGIN
    -- Foreign keys are not looked at: all tables will be empty.
    SET LOCAL session_replication_role = replica;
    -- A table without a page has never had a row; most tables have none.
    FOR name IN
      SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migration'
        AND pg_relation_size(oid) > 0
    LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
    LOOP
      PERFORM setval(format('%I', name)::regclass, 1, false);
    END LOOP;
  END $$`
