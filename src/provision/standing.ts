import { sql } from 'kysely'
import type { Config } from '../config/config.ts'
import { sealPurpose } from '../keys/key-store.ts'
import type { Engine } from '../store/engine.ts'
import { putFact } from '../store/facts.ts'
import { migrations } from '../store/migrations/list.ts'
import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { emptyCounts } from './applied.ts'
import type { StartingPoint } from './provision-at-start.ts'
import type { ProvisionTools } from './provision-tools.ts'

/*
 * Provisioning is a function of what the start is told and of what the database holds, and to repeat it changes
 * nothing. So a start that is told the same as the last one, on the same rows, need not do it: one question instead of
 * several for each thing that the file names, which counts where the database is far away.
 */

const factName = 'provisioned'

/** All rows that provisioning reads, in one text; not the money, which moves with every request. */
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
    digestOf('credit', 'to_jsonb(t)', ` WHERE source = 'provision'`),
  ].join(', ')}))`,
)

function digestOf(table: string, row: string, where = ''): string {
  const text = `CAST(${row} AS TEXT)`
  return `(SELECT COALESCE(md5(string_agg(${text}, '|' ORDER BY ${text})), '-') FROM ${table} t${where})`
}

/** What the start is told, as a keyed hash, because credentials are in it. Undefined where this is not worth while. */
export function orderText(
  { kind }: Engine,
  { vault }: ProvisionTools,
  { provision, environmentCredentials, demo }: Config,
  release: string | undefined,
): string | undefined {
  // A month of usage is filled in at each start, and SQLite is never far away.
  if (release === undefined || kind !== 'postgres' || demo === 'on') return undefined
  const told = { release, schema: migrations.at(-1)?.id, provision, environmentCredentials, demo }
  return vault.lookupHash(
    JSON.stringify(told, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
}

/** What the last start found, if this one would find the same. */
export async function findStanding(
  engine: Engine,
  vault: Vault,
  order: string,
): Promise<StartingPoint | undefined> {
  const { rows } = await sql<{ value: string; state: string; sealed: string | null }>`
    SELECT value, ${stateSql} AS state,
      (SELECT value_sealed FROM api_key
        WHERE id = 'local' AND enabled = 1 AND deleted_at IS NULL) AS sealed
    FROM fact WHERE name = ${factName}`.execute(engine.db)
  const [row] = rows
  if (!row) return undefined
  const [told, state, demo, id, email, upstreams, warnings] = row.value.split(' ')
  const isSame = told === order && state === row.state
  if (!isSame || id === undefined || email === undefined || warnings === undefined) return undefined
  return {
    applied: { counts: emptyCounts(), warnings: readWarnings(warnings) },
    environmentUpstreams: upstreams?.split(',').filter((each) => each !== '') ?? [],
    isDemoInForce: demo === 'demo',
    localKey: row.sealed === null ? undefined : vault.open(row.sealed, sealPurpose),
    admin: { id, email },
  }
}

export async function noteStanding(
  { tx }: Writing,
  order: string,
  { applied, admin, environmentUpstreams, isDemoInForce }: StartingPoint,
): Promise<void> {
  const demo = isDemoInForce ? 'demo' : 'none'
  const warnings = applied.warnings.map((each) => Buffer.from(each).toString('base64url')).join(',')
  const noted = [demo, admin.id, admin.email, environmentUpstreams.join(','), warnings].join(' ')
  const value = sql<string>`CAST(${order} AS TEXT) || ' ' || ${stateSql} || ' ' || CAST(${noted} AS TEXT)`
  await putFact(tx, factName, value)
}

/** What a whole start would say again. */
function readWarnings(text: string): string[] {
  const words = text.split(',').filter((word) => word !== '')
  return words.map((word) => Buffer.from(word, 'base64url').toString())
}
