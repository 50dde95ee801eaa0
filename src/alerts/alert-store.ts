import type { Selectable, Updateable } from 'kysely'
import { newId, type RandomBytes } from '../core/id.ts'
import { dropOfAlert } from '../outbox/outbox-store.ts'
import { redirectHook } from '../outbox/send-soon.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { columnsOf, hasValues, rowOf, valuesOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { AlertTable } from '../store/tables/alert-tables.ts'
import { type AlertEdit, type AlertValues, alertProblem } from './definition/alert.ts'
import { settingColumns } from './setting-columns.ts'

type Database = Engine['db']

/** Alerts of one account, or of the gateway. */
export const alertsMax = 50

/** An alert without its secrets. */
export interface StoredAlert extends Omit<AlertValues, 'url' | 'secret'> {
  readonly id: string
  /** The host of the webhook, for display. */
  readonly urlHost: string | null
  readonly hasSecret: boolean
  readonly createdAtMs: number
}

export interface AlertDeps {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
}

export const urlPurpose = 'alert url'
export const secretPurpose = 'alert secret'

function alertOf(row: Selectable<AlertTable>): StoredAlert {
  return {
    id: row.id,
    ...valuesOf(settingColumns, row),
    urlHost: row.url_host,
    hasSecret: row.secret_sealed !== null,
    createdAtMs: row.created_at,
  }
}

export async function readAlert(db: Database, id: string): Promise<StoredAlert | undefined> {
  const row = await db.selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst()
  return row && alertOf(row)
}

/** Sorted by id. Undefined accounts mean all alerts. */
export async function listAlerts(
  db: Database,
  question: {
    readonly accountIds: readonly string[] | undefined
    readonly after?: string | undefined
    readonly rowsMax: number
  },
): Promise<StoredAlert[]> {
  const { accountIds, after = '', rowsMax } = question
  if (accountIds?.length === 0) return []
  let rows = db.selectFrom('alert').selectAll().where('id', '>', after)
  if (accountIds) rows = rows.where('account_id', 'in', accountIds)
  return (await rows.orderBy('id').limit(rowsMax).execute()).map(alertOf)
}

export async function isFull(db: Database, accountId: string | null): Promise<boolean> {
  const rows = await db
    .selectFrom('alert')
    .select('id')
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .limit(alertsMax)
    .execute()
  return rows.length >= alertsMax
}

export async function createAlert(
  { tx }: Pick<Writing, 'tx'>,
  { vault, random, nowMs }: AlertDeps,
  values: AlertValues,
  id = newId('alert', random),
): Promise<string> {
  await tx
    .insertInto('alert')
    .values({
      id,
      ...rowOf(settingColumns, values),
      url_sealed: null,
      url_host: null,
      secret_sealed: null,
      created_at: nowMs,
      ...secretsOf(vault, values),
    })
    .execute()
  return id
}

/** Absent settings stay unchanged. */
export async function changeAlert(
  writing: Pick<Writing, 'tx'>,
  deps: Pick<AlertDeps, 'vault' | 'nowMs'>,
  id: string,
  edit: AlertEdit,
): Promise<void> {
  const columns = { ...columnsOf(settingColumns, edit), ...secretsOf(deps.vault, edit) }
  if (Object.keys(columns).length > 0) await store(writing, deps, id, columns, edit.url)
}

/** Messages that still wait go to the new URL. Those of a disabled alert are given up. */
async function store(
  writing: Pick<Writing, 'tx'>,
  { vault, nowMs }: Pick<AlertDeps, 'vault' | 'nowMs'>,
  id: string,
  columns: Updateable<AlertTable>,
  url: string | undefined,
): Promise<void> {
  const { tx } = writing
  const isMoved = url !== undefined && url !== (await presentUrl(tx, vault, id))
  await tx.updateTable('alert').set(columns).where('id', '=', id).execute()
  if (columns.enabled === 0) await dropOfAlert(writing, id, 'alert_disabled', nowMs)
  if (isMoved) await redirectHook(tx, { alertId: id, host: new URL(url).host }, nowMs)
}

/** Undefined without a webhook, and for a text that the vault cannot open: another URL can replace it. */
async function presentUrl(db: Database, vault: Vault, id: string): Promise<string | undefined> {
  try {
    return (await findHook(db, vault, id))?.url
  } catch {
    return undefined
  }
}

/** Messages that still wait are given up. */
export async function deleteAlert(
  writing: Pick<Writing, 'tx'>,
  id: string,
  nowMs: number,
): Promise<void> {
  await dropOfAlert(writing, id, 'alert_deleted', nowMs)
  await writing.tx.deleteFrom('alert').where('id', '=', id).execute()
}

/**
 * Creates the alert with this id, or changes it. Its account and channel are fixed: `conflict`. A new webhook needs its
 * URL and secret: `incomplete`.
 */
export async function putAlert(
  writing: Pick<Writing, 'tx'>,
  deps: AlertDeps,
  id: string,
  values: AlertValues,
): Promise<'created' | 'changed' | 'same' | 'conflict' | 'incomplete'> {
  const row = await writing.tx
    .selectFrom('alert')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) {
    if (alertProblem(values)) return 'incomplete'
    await createAlert(writing, deps, values, id)
    return 'created'
  }
  if (row.account_id !== values.accountId || row.channel !== values.channel) return 'conflict'
  const isSame =
    hasValues(settingColumns, row, values) &&
    isSealed(deps.vault, values.url, row.url_sealed, urlPurpose) &&
    isSealed(deps.vault, values.secret, row.secret_sealed, secretPurpose)
  if (!isSame) {
    const columns = { ...rowOf(settingColumns, values), ...secretsOf(deps.vault, values) }
    await store(writing, deps, id, columns, values.url)
  }
  return isSame ? 'same' : 'changed'
}

function isSealed(
  vault: Vault,
  wanted: string | undefined,
  sealed: string | null,
  purpose: string,
): boolean {
  if (wanted === undefined) return true
  return sealed !== null && vault.open(sealed, purpose) === wanted
}

function secretsOf(vault: Vault, { url, secret }: Pick<AlertValues, 'url' | 'secret'>) {
  return {
    ...(url !== undefined && {
      url_sealed: vault.seal(url, urlPurpose),
      url_host: new URL(url).host,
    }),
    ...(secret !== undefined && { secret_sealed: vault.seal(secret, secretPurpose) }),
  }
}

/** The destination of an alert's messages; undefined when the alert was deleted. */
export async function findHook(
  db: Database,
  vault: Vault,
  id: string,
): Promise<{ readonly url: string; readonly secret: string | undefined } | undefined> {
  const row = await db
    .selectFrom('alert')
    .select(['channel', 'url_sealed', 'secret_sealed'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.url_sealed === null) return undefined
  const isSigned = row.channel === 'webhook' && row.secret_sealed !== null
  return {
    url: vault.open(row.url_sealed, urlPurpose),
    secret:
      isSigned && row.secret_sealed !== null
        ? vault.open(row.secret_sealed, secretPurpose)
        : undefined,
  }
}

/** The addresses of this list that belong to verified members of the account. */
export async function membersAmong(
  db: Database,
  accountId: string,
  emails: readonly string[],
): Promise<ReadonlySet<string>> {
  if (emails.length === 0) return new Set()
  const rows = await db
    .selectFrom('membership as m')
    .innerJoin('console_user as u', 'u.id', 'm.user_id')
    .select('u.email')
    .where('m.account_id', '=', accountId)
    .where('u.invited_to', 'is', null)
    .where('u.suspended', '=', 0)
    .where('u.email', 'in', emails)
    .execute()
  return new Set(rows.map(({ email }) => email))
}
