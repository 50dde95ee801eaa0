import { existsSync } from 'node:fs'
import { messageOf } from '../../app/database/database-problem.ts'
import { explainStore } from '../../app/database/explain-store.ts'
import { findSecrets } from '../../app/secrets/read-secret.ts'
import type { Config } from '../../config/config.ts'
import { maskUrl } from '../../config/mask.ts'
import { sqlitePathOf } from '../../core/network/sqlite-url.ts'
import type { Engine } from '../../store/engine.ts'
import { migrations } from '../../store/migrations/list.ts'
import { planMigrations } from '../../store/migrations/migrate.ts'
import { openStore } from '../../store/open-store.ts'
import { type OpenVault, openVault, replicasWithout } from '../../store/secrets/open-vault.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'database'

export interface DatabaseCheck {
  readonly findings: readonly DoctorFinding[]
  /** The database, if it can be used; the caller closes it. */
  readonly usable: { readonly engine: Engine; readonly vault: Vault } | undefined
  /** The database, if it could be opened at all. */
  readonly engine: Engine | undefined
}

/** Opens the database without changing it: creates nothing and migrates nothing. */
export async function examineDatabase(
  config: Pick<Config, 'database' | 'data' | 'secret' | 'formerSecret'>,
): Promise<DatabaseCheck> {
  const path = sqlitePathOf(config.database)
  if (path !== undefined && !existsSync(path)) {
    return only(ok(topic, `${path} does not exist yet; the first start creates it`))
  }
  let engine: Engine
  try {
    engine = await openStore(config.database)
  } catch (error) {
    return only(fail(topic, explainStore(config.database, error).message))
  }
  const note = engine.note === undefined ? '' : ` (${engine.note})`
  const name = `${path ?? maskUrl(config.database)}${note}`
  const schema = await checkSchema(engine, name)
  if (schema.verdict !== 'ok') return { findings: [schema], usable: undefined, engine }
  const secret = await checkSecret(engine, config)
  return {
    findings: [schema, secret.finding],
    usable: secret.vault && { engine, vault: secret.vault },
    engine,
  }
}

function only(finding: DoctorFinding): DatabaseCheck {
  return { findings: [finding], usable: undefined, engine: undefined }
}

async function checkSchema(engine: Engine, name: string): Promise<DoctorFinding> {
  try {
    const plan = await planMigrations(engine, migrations)
    if (plan.newer.length > 0)
      return ok(topic, `${name} opens; a newer version has added ${plan.newer.join(', ')}`)
    const pending = plan.pending.map(({ id }) => id)
    if (pending.length === 0) return ok(topic, `${name} opens, its schema is up to date`)
    return warn(
      topic,
      `${name} opens; migrations ${pending.join(', ')} are pending and are applied at the next start`,
    )
  } catch (error) {
    return fail(topic, `${name}: ${messageOf(error)}`)
  }
}

async function checkSecret(
  engine: Engine,
  config: Pick<Config, 'data' | 'secret' | 'formerSecret'>,
): Promise<{ finding: DoctorFinding; vault: Vault | undefined }> {
  const wrong = (text: string) => ({ finding: fail('secret', text), vault: undefined })
  try {
    const secrets = findSecrets(config)
    if (secrets.length === 0) {
      return wrong(
        `${config.data} contains no secret file, but the database was created with one; restore the file or set TOLLGATE_SECRET`,
      )
    }
    const vault = await openVault(engine.db, secrets)
    if (vault) return { finding: await checkRotation(engine, vault, secrets.length > 1), vault }
    return wrong(
      'does not match the database; restore the secret that the database was created with',
    )
  } catch (error) {
    return wrong(messageOf(error))
  }
}

/** Whether a rotation is under way, and what comes next. */
async function checkRotation(
  engine: Engine,
  vault: OpenVault,
  hasFormer: boolean,
): Promise<DoctorFinding> {
  const isNew = vault.secretIndex === 0
  if (!isNew) return warn('secret', 'is new to the database; run "tollgate secret rotate"')
  if (vault.ring.sealKeys.size > 1) {
    const names = await replicasWithout(engine.db, vault.secretId, 0)
    const wait = names.length === 0 ? '' : `restart ${names.join(', ')} with the new secret, then `
    return warn('secret', `is being rotated; ${wait}run "tollgate secret rotate" again`)
  }
  return hasFormer
    ? warn('secret', 'matches the database; formerSecret is no longer needed, remove it')
    : ok('secret', 'matches the database')
}
