import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { sealPurpose } from '../keys/key-store.ts'
import { putFact } from '../store/changes/facts.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { migrations } from '../store/migrations/list.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { emptyCounts } from './applied.ts'
import type { ProvisionDeps, StartingPoint } from './provision-deps.ts'

/*
 * Provisioning depends only on its input and on the database, and repeating it changes nothing. A start with the same
 * input and the same rows as the last one can therefore skip it: one query replaces several for each resource in the
 * file, which matters when the database is far away.
 */

const factName = 'provisioned'

/** All rows that provisioning reads, as one text, without amounts of money, which change with every request. */
const stateSql = sql.raw<string>(
  `md5(concat_ws('|', ${[
    digestOf('service_group', 'to_jsonb(t)'),
    digestOf('group_grant', 'to_jsonb(t)'),
    digestOf('model', 'to_jsonb(t)'),
    digestOf('price_version', 'to_jsonb(t)'),
    digestOf('upstream', 'to_jsonb(t)'),
    digestOf('upstream_credential', 'to_jsonb(t)'),
    digestOf('route', 'to_jsonb(t)'),
    digestOf('account', `to_jsonb(t) - 'available_nano'`),
    digestOf('api_key', `to_jsonb(t) - 'available_nano' - 'spent_nano'`),
    digestOf('console_user', 'to_jsonb(t)'),
    digestOf('membership', 'to_jsonb(t)'),
    digestOf('alert', 'to_jsonb(t)'),
    digestOf('credit', 'to_jsonb(t)', ` WHERE source = 'provision'`),
  ].join(', ')}))`,
)

function digestOf(table: string, row: string, where = ''): string {
  const text = `CAST(${row} AS TEXT)`
  return `(SELECT COALESCE(md5(string_agg(${text}, '|' ORDER BY ${text})), '-') FROM ${table} t${where})`
}

/**
 * A hash of the input of the start, keyed because the input contains credentials. Undefined where skipping is not
 * worthwhile.
 */
export function hashInput(
  { kind }: Engine,
  { vault }: ProvisionDeps,
  { provision, environmentCredentials, demo }: Config,
  release: string | undefined,
): string | undefined {
  // An explicit demo fills its month of usage at each start, and SQLite is never far away.
  if (release === undefined || kind !== 'postgres' || demo === 'on') return undefined
  const input = { release, schema: migrations.at(-1)?.id, provision, environmentCredentials, demo }
  return vault.lookupHash(
    JSON.stringify(input, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
}

/** The result of the last start, if this start would have the same result. */
export async function findLastStart(
  engine: Engine,
  vault: Vault,
  inputHash: string,
): Promise<StartingPoint | undefined> {
  const { rows } = await sql<{ value: string; state: string; sealed: string | null }>`
    SELECT value, ${stateSql} AS state,
      (SELECT value_sealed FROM api_key
        WHERE id = 'local' AND enabled = 1 AND deleted_at IS NULL) AS sealed
    FROM fact WHERE name = ${factName}`.execute(engine.db)
  const [row] = rows
  if (!row) return undefined
  const [lastInputHash, state, demo, id, email, upstreams, warnings] = row.value.split(' ')
  const isSame = lastInputHash === inputHash && state === row.state
  if (!isSame || id === undefined || email === undefined || warnings === undefined) return undefined
  return {
    applied: { counts: emptyCounts(), changes: [], warnings: readWarnings(warnings) },
    environmentUpstreams: upstreams?.split(',').filter((each) => each !== '') ?? [],
    isDemoInForce: demo === 'demo',
    localKey: row.sealed === null ? undefined : vault.open(row.sealed, sealPurpose),
    admin: { id, email },
  }
}

export async function recordLastStart(
  { tx }: Writing,
  inputHash: string,
  { applied, admin, environmentUpstreams, isDemoInForce }: StartingPoint,
): Promise<void> {
  const demo = isDemoInForce ? 'demo' : 'none'
  const warnings = applied.warnings.map((each) => Buffer.from(each).toString('base64url')).join(',')
  const noted = [demo, admin.id, admin.email, environmentUpstreams.join(','), warnings].join(' ')
  const value = sql<string>`CAST(${inputHash} AS TEXT) || ' ' || ${stateSql} || ' ' || CAST(${noted} AS TEXT)`
  await putFact(tx, factName, value)
}

/** The warnings that a full start would repeat. */
function readWarnings(text: string): string[] {
  const encoded = text.split(',').filter((each) => each !== '')
  return encoded.map((each) => Buffer.from(each, 'base64url').toString())
}
