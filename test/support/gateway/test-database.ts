import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeAccount } from '../../../src/accounts/account-store.ts'
import type { Provision } from '../../../src/config/provision.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { revealKey } from '../../../src/keys/key-store.ts'
import { applyProvision } from '../../../src/provision/apply-provision.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { migrations } from '../../../src/store/migrations/list.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { hashPassword, isPasswordOf } from '../../../src/store/password.ts'
import { createVault } from '../../../src/store/vault.ts'
import { write } from '../../../src/store/write.ts'
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

export async function makeDatabase(kind: Engine['kind']): Promise<TestDatabase> {
  if (kind === 'postgres') return freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-gateway-'))
  const path = join(folder, 'test.db')
  await copyMigratedFile(path)
  return {
    url: `sqlite://${path}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens it, and brings it to what the provision says; a second opening finds everything there. */
export async function openDatabase(
  url: string,
  provision: Provision,
): Promise<{ engine: Engine; keys: KeyValues }> {
  const engine = await openStore(url)
  await migrate(engine, migrations, Date.now())
  const tools = {
    vault: testVault,
    random: systemRandom,
    nowMs: () => Date.now(),
    hashPassword,
    isPasswordOf,
  }
  await applyProvision(engine, tools, provision)
  await write(engine, Date.now(), async (writing) => {
    await changeAccount(writing, 'suspended', { status: 'suspended' })
    await changeAccount(writing, 'ended', { endsAt: Date.parse('2020-01-01T00:00:00Z') })
    // The one thing that a file cannot say: a group that keys still name has been taken away.
    await writing.tx.deleteFrom('service_group').where('id', '=', 'gone').execute()
  })
  return { engine, keys: await readKeyValues(engine) }
}

async function readKeyValues(engine: Engine): Promise<KeyValues> {
  const values: Partial<Record<KeyName, string>> = {}
  for (const name of keyNames) values[name] = (await revealKey(engine, testVault, name)) ?? ''
  return values as KeyValues
}
