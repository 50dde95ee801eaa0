import { afterEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../src/store/engine.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { openStore } from '../../src/store/open-store.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'

/** One kind of engine, on which the same list of behaviours is run. */
export interface EngineStage {
  readonly kind: Engine['kind']
  /** The url of an empty database of its own. */
  freshUrl(): Promise<string>
  /** One more engine on that database, as another process would have it. */
  open(url: string): Promise<Engine>
  /** An engine on a fresh database that has the schema. */
  openMigrated(): Promise<Engine>
  /** The same, and a second engine on its database. */
  openTwo(): Promise<[Engine, Engine]>
}

/** One entry for each engine that this machine has. What a test opens is closed and deleted after it. */
export function engineStages(name: string): EngineStage[] {
  const engines: Engine[] = []
  const deletions: (() => Promise<void>)[] = []
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()))
    for (const deletion of deletions.splice(0)) await deletion()
  })
  const open = async (url: string): Promise<Engine> => {
    const engine = await openStore(url)
    engines.push(engine)
    return engine
  }
  const stageOf = (kind: Engine['kind'], freshUrl: () => Promise<string>): EngineStage => {
    const openMigratedOn = async (url: string): Promise<Engine> => {
      const engine = await open(url)
      await migrate(engine, migrations, 1)
      return engine
    }
    return {
      kind,
      freshUrl,
      open,
      openMigrated: async () => openMigratedOn(await freshUrl()),
      openTwo: async () => {
        const url = await freshUrl()
        return [await openMigratedOn(url), await open(url)]
      },
    }
  }
  const sqlite = stageOf('sqlite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-store-'))
    deletions.push(async () => rmSync(folder, { recursive: true, force: true }))
    return `sqlite://${join(folder, 'test.db')}`
  })
  if (postgresServerUrl(`${name} on Postgres`) === undefined) return [sqlite]
  const postgres = stageOf('postgres', async () => {
    const database = await freshDatabase()
    deletions.push(() => database.drop())
    return database.url
  })
  return [sqlite, postgres]
}
