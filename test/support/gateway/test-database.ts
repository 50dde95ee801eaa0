import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import type { Provision } from '../../../src/config/provision.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { revealKey } from '../../../src/keys/key-store.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { hashPassword, isPasswordOf } from '../../../src/store/secrets/password.ts'
import { createVault } from '../../../src/store/secrets/vault.ts'
import { atEnd } from '../at-end.ts'
import { freshDatabase } from '../postgres/fresh-database.ts'
import { copyMigratedFile } from '../sqlite/copy-migrated-file.ts'
import { type KeyName, keyNames } from './test-provision.ts'

export type KeyValues = Readonly<Record<KeyName, string>>

export const testVault = createVault(Buffer.from('a secret for tests, long enough for all'))

/** A database of its own for one test file. */
export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

export interface OpenedDatabase {
  readonly engine: Engine
  readonly keys: KeyValues
}

/** The base URLs of the two scripted upstreams. */
export interface UpstreamUrls {
  readonly one: string
  readonly two: string
}

export type ProvisionFor = (urls: UpstreamUrls) => Provision

/** Creates and opens a database with the resources of the provision. */
export async function makeDatabase(
  kind: Engine['kind'],
  urls: UpstreamUrls,
  provisionFor: ProvisionFor,
): Promise<OpenedDatabase & { readonly database: TestDatabase }> {
  if (kind === 'postgres') {
    const database = await freshDatabase()
    return { database, ...(await openDatabase(database.url, provisionFor(urls))) }
  }
  const { path: template, keys } = await provisionedFile(provisionFor(nowhere))
  const database = await makeFile(async (path) => copyFileSync(template, path))
  const engine = await openStore(database.url)
  await moveUpstreams(engine, urls)
  return { database, engine, keys }
}

/** Creates a database with the schema and no rows. */
export function makeEmptyFile(): Promise<TestDatabase> {
  return makeFile(copyMigratedFile)
}

async function makeFile(put: (path: string) => Promise<void>): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-gateway-'))
  const path = join(folder, 'test.db')
  await put(path)
  return {
    url: `sqlite://${path}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens a database and applies the provision; a second call finds nothing to change. */
export async function openDatabase(url: string, provision: Provision): Promise<OpenedDatabase> {
  const engine = await openStore(url)
  await migrate(engine, migrations, Date.now())
  const tools = {
    vault: testVault,
    random: systemRandom,
    nowMs: () => Date.now(),
    hashPassword,
    isPasswordOf,
  }
  await applyProvision(engine, tools, provision, 'confirmed')
  await write(engine, Date.now(), async (writing) => {
    await changeAccount(writing, 'suspended', { status: 'suspended' })
    await changeAccount(writing, 'ended', { endsAt: Date.parse('2020-01-01T00:00:00Z') })
    // A file cannot express this state: a group that keys still name has been deleted.
    await writing.tx.deleteFrom('service_group').where('id', '=', 'gone').execute()
  })
  return { engine, keys: await readKeyValues(engine) }
}

interface ProvisionedFile {
  readonly path: string
  readonly keys: KeyValues
}

/** Placeholders for the scripted upstreams in the copied file: each gateway has its own. */
const nowhere: UpstreamUrls = { one: 'http://one.invalid', two: 'http://two.invalid' }

const provisioned = new Map<string, Promise<ProvisionedFile>>()

/** Creates a file once per process and provision, and copies it later: provisioning takes ten times as long. */
function provisionedFile(provision: Provision): Promise<ProvisionedFile> {
  const text = JSON.stringify(provision, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  )
  const made = provisioned.get(text) ?? makeProvisionedFile(provision)
  provisioned.set(text, made)
  return made
}

async function makeProvisionedFile(provision: Provision): Promise<ProvisionedFile> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-provisioned-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await copyMigratedFile(path)
  const { engine, keys } = await openDatabase(`sqlite://${path}`, provision)
  await engine.close()
  return { path, keys }
}

async function moveUpstreams({ db }: Engine, urls: UpstreamUrls): Promise<void> {
  const moved = (column: string) =>
    sql<string>`REPLACE(REPLACE(${sql.ref(column)}, ${nowhere.one}, ${urls.one}), ${nowhere.two}, ${urls.two})`
  await db
    .updateTable('upstream')
    .set({ base_url: moved('base_url') })
    .execute()
  await db
    .updateTable('upstream_credential')
    .set({ origin: moved('origin') })
    .execute()
}

async function readKeyValues(engine: Engine): Promise<KeyValues> {
  const values: Partial<Record<KeyName, string>> = {}
  for (const name of keyNames) values[name] = (await revealKey(engine, testVault, name)) ?? ''
  return values as KeyValues
}
