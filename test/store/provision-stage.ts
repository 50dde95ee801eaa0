import { afterEach } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config.ts'
import { systemRandom } from '../../src/core/id.ts'
import type { ProvisionTools } from '../../src/provision/provision-tools.ts'
import type { Engine } from '../../src/store/engine.ts'
import { migrate } from '../../src/store/migrate.ts'
import { migrations } from '../../src/store/migrations/list.ts'
import { openStore } from '../../src/store/open-store.ts'
import { hashPassword, isPasswordOf } from '../../src/store/password.ts'
import { createVault } from '../../src/store/vault.ts'
import { vendors } from '../../src/vendors/index.ts'
import { freshDatabase } from '../support/postgres/fresh-database.ts'
import { postgresServerUrl } from '../support/postgres/postgres-server-url.ts'

export interface Stage {
  readonly engine: Engine
  readonly tools: ProvisionTools
}

/** A database of its own, empty but for the schema; gone when the test is over. */
export type OpenStage = () => Promise<Stage>

const endings: (() => Promise<void>)[] = []
async function sqliteUrl(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-provision-'))
  endings.push(async () => rmSync(folder, { recursive: true, force: true }))
  return `sqlite://${join(folder, 'test.db')}`
}

async function postgresUrl(): Promise<string> {
  const database = await freshDatabase()
  endings.push(() => database.drop())
  return database.url
}

async function openOn(url: string): Promise<Stage> {
  const engine = await openStore(url)
  endings.unshift(() => engine.close())
  await migrate(engine, migrations, Date.now())
  const vault = createVault(Buffer.from('a secret for tests, long enough for all'))
  return {
    engine,
    tools: { vault, random: systemRandom, nowMs: () => Date.now(), hashPassword, isPasswordOf },
  }
}

/** One entry for each engine that this machine has. Called by each test file, which thereby cleans up. */
export function stages(name: string): [string, OpenStage][] {
  afterEach(async () => {
    for (const end of endings.splice(0)) await end()
  })
  const sqlite: [string, OpenStage] = ['sqlite', async () => openOn(await sqliteUrl())]
  if (postgresServerUrl(`${name} on Postgres`) === undefined) return [sqlite]
  return [sqlite, ['postgres', async () => openOn(await postgresUrl())]]
}

export function configOf(text: string, env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ vendors, env, cwd: tmpdir(), readFile: () => text })
}
