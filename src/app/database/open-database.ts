import { rmSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import { migrations } from '../../store/migrations/list.ts'
import { migrate } from '../../store/migrations/migrate.ts'
import { openStore } from '../../store/open-store.ts'
import { type OpenVault, openVault } from '../../store/secrets/open-vault.ts'
import { findSecrets, readSecret, type Secret, secretPath } from '../secrets/read-secret.ts'
import { DatabaseProblem } from './database-problem.ts'
import { explainStore } from './explain-store.ts'
import { migrationNotes } from './migration-notes.ts'

export interface OpenDatabase {
  readonly engine: Engine
  readonly vault: OpenVault
  /** Notes for the operator about the migrations that were applied just now. */
  readonly notes: readonly string[]
}

/** Opens the database with the secret it belongs to, its schema up to date. Throws a DatabaseProblem. */
export async function openDatabase(
  config: Pick<Config, 'database' | 'readDatabase' | 'data' | 'secret' | 'formerSecret'>,
  nowMs: number,
): Promise<OpenDatabase> {
  const secret = readSecret(config)
  let engine: Engine | undefined
  try {
    engine = await openStore(config.database, config.readDatabase)
    const migrated = await migrate(engine, migrations, nowMs)
    const vault = await openVault(forBackgroundWork(engine).db, findSecrets(config))
    if (!vault) throw wrongSecret(config, secret)
    return { engine, vault, notes: await migrationNotes(engine, migrated) }
  } catch (error) {
    await engine?.close().catch(() => undefined)
    throw explainStore(config.database, error)
  }
}

function wrongSecret(config: Pick<Config, 'data' | 'secret'>, secret: Secret): DatabaseProblem {
  // The secret that was just generated protects nothing yet. Remove it, so that the right one can be restored.
  if (secret.madePath !== undefined) {
    rmSync(secret.madePath, { force: true })
    return new DatabaseProblem(
      `The database was created with a secret, but ${secret.madePath} does not exist; restore the file, or set TOLLGATE_SECRET.`,
    )
  }
  const place = config.secret === undefined ? secretPath(config) : 'the setting secret'
  return new DatabaseProblem(
    `The database was created with a different secret than the one in ${place}; restore the old secret, otherwise its keys and credentials cannot be read.`,
  )
}
