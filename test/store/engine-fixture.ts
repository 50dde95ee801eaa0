import { afterAll, afterEach } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Engine } from '../../src/store/engine.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { openStore } from '../../src/store/open-store.ts'
import { type FreshOptions, freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'
import { copyMigratedFile } from '../support/sqlite/copy-migrated-file.ts'

/** One kind of engine, on which the same list of behaviours is run. */
export interface EngineFixture {
  readonly kind: Engine['kind']
  /** The url of an empty database of its own. */
  freshUrl(): Promise<string>
  /** The url of a database of its own that has the schema and no rows. */
  migratedUrl(): Promise<string>
  /** The url of a copy of a database that nobody has open. */
  copyUrl(url: string): Promise<string>
  /** One more engine on that database, as another process would have it. */
  open(url: string): Promise<Engine>
  /** An engine on a database that has the schema and no rows. */
  openMigrated(): Promise<Engine>
  /** The same, and a second engine on its database. */
  openTwo(): Promise<[Engine, Engine]>
}

type Deletion = () => Promise<void>

/** One entry for each engine that this machine has. What a test opens is closed after it. */
export function engineFixtures(name: string): EngineFixture[] {
  return fixturesOf(name, false)
}

/**
 * The same for tests that leave nothing at work behind: on Postgres the migrated engine is handed from test to test
 * instead of opened anew. Its eight connections and what each learns of the tables cost more than most tests.
 */
export function keptFixtures(name: string): EngineFixture[] {
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

/** A Postgres database takes a quarter of a second to make, so the tests of a file share one and find it empty. */
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

/** What a new database has in it. */
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
 * The connection that empties a database is kept from test to test: to look at all tables and indexes for the first
 * time costs a new one ten times what the deletions do.
 */
function openCleaner(url: string, deletions: Deletion[]): SQL {
  const cleaner = new SQL(url, { max: 1, idleTimeout: 0 })
  deletions.unshift(() => cleaner.close())
  return cleaner
}

/**
 * Takes the rows out of all tables but the record of migrations, and lets numbers begin anew. To delete a few rows costs
 * a fifth of TRUNCATE, which makes new files for each table and each index.
 */
const emptyAll = `
  DO $$
  DECLARE name text;
  BEGIN
    -- Foreign keys are not looked at: all tables will be empty.
    SET LOCAL session_replication_role = replica;
    FOR name IN
      SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration'
    LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'
    LOOP
      PERFORM setval(format('%I', name)::regclass, 1, false);
    END LOOP;
  END $$`
