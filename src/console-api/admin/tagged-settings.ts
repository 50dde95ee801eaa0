import type { Selectable } from 'kysely'
import { memberLimitColumns } from '../../accounts/member-store.ts'
import { settingColumns as keptAccount } from '../../accounts/setting-columns.ts'
import { settingColumns as keptAlert } from '../../alerts/setting-columns.ts'
import { credentialColumns } from '../../catalog/credential-store.ts'
import { groupColumns, modelColumns, upstreamColumns } from '../../catalog/setting-columns.ts'
import { settingColumns as keptKey } from '../../keys/setting-columns.ts'
import { findMessage, isResendable } from '../../outbox/send-again.ts'
import { findPolicy } from '../../recording/policy-store.ts'
import type { Engine } from '../../store/engine.ts'
import { valuesOf } from '../../store/rows/stored-fields.ts'
import type { MembershipTable } from '../../store/tables/people-tables.ts'
import type { UpstreamCredentialTable } from '../../store/tables/tables.ts'
import { listRoutes } from '../handlers/operate/routes.ts'
import type { OperationRoute } from '../routes/route.ts'

type Db = Engine['db']
interface Place {
  readonly id: string
  readonly query: URLSearchParams
  /** The accounts that the caller may see; undefined: all. */
  readonly accountIds: readonly string[] | undefined
}
/** Reads all settings of a resource that can be changed, without figures; undefined if there is no such resource. */
type SettingsReader = (db: Db, place: Place) => Promise<unknown>

const whole: Readonly<Record<string, SettingsReader>> = {
  '/keys/{id}': readKey,
  '/alerts/{id}': readAlert,
  '/messages/{id}': readMessage,
  '/tokens/{id}': readToken,
  '/accounts/{id}': readAccount,
  '/recordings/{id}': readRecording,
  '/operate/accounts/{id}': readAccount,
  '/operate/users/{id}': readUser,
  '/operate/groups/{id}': readGroup,
  '/operate/models/{id}': readModel,
  '/operate/upstreams/{id}': readUpstream,
  '/operate/credentials/{id}': readCredential,
  '/operate/routes': readRoutes,
}

/** Whether the response of this route is the resource that the tag belongs to. */
export function showsTagged({ path }: Pick<OperationRoute, 'path'>): boolean {
  return Object.hasOwn(whole, path)
}

/** A part has the tag of the resource that it belongs to: a member that of the account. */
export function settingsReaderOf({
  path,
}: Pick<OperationRoute, 'path'>): SettingsReader | undefined {
  const idAt = path.indexOf('{id}')
  return whole[idAt < 0 ? path : path.slice(0, idAt + '{id}'.length)]
}

async function readKey(db: Db, { id, accountIds }: Place) {
  const row = await db
    .selectFrom('api_key')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row || accountIds?.includes(row.account_id) === false) return undefined
  return { ...valuesOf(keptKey, row), value: row.value_hash }
}

async function readAlert(db: Db, { id, accountIds }: Place) {
  const row = await db.selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst()
  const isVisible = accountIds === undefined || accountIds.some((each) => each === row?.account_id)
  if (!row || !isVisible) return undefined
  return { ...valuesOf(keptAlert, row), url: row.url_sealed, secret: row.secret_sealed }
}

async function readMessage(db: Db, { id, accountIds }: Place) {
  const row = await findMessage(db, id)
  const isVisible = accountIds === undefined || accountIds.some((each) => each === row?.account_id)
  return row && isVisible ? { state: row.state, isResendable: isResendable(row) } : undefined
}

/** A token never changes, but it can be revoked. */
async function readToken(db: Db, { id, accountIds }: Place) {
  const row = await db
    .selectFrom('admin_token')
    .select(['id', 'account_id', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  const isVisible = accountIds === undefined || accountIds.some((each) => each === row?.account_id)
  return row && isVisible ? row : undefined
}

async function readAccount(db: Db, { id }: Place) {
  const row = await db.selectFrom('account').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const members = await db
    .selectFrom('membership')
    .selectAll()
    .where('account_id', '=', id)
    .orderBy('user_id')
    .execute()
  const { storedBytes: _stored, ...recording } = await findPolicy(db, id)
  return { ...valuesOf(keptAccount, row), members: members.map(settingsOfMember), recording }
}

function settingsOfMember(row: Selectable<MembershipTable>) {
  const { user_id, role, source } = row
  return { user_id, role, source, ...valuesOf(memberLimitColumns, row) }
}

/** A recording never changes. */
async function readRecording(db: Db, { id, accountIds }: Place) {
  const row = await db
    .selectFrom('recording')
    .select(['request_id', 'account_id'])
    .where('request_id', '=', id)
    .executeTakeFirst()
  return row && accountIds?.includes(row.account_id) !== false ? row : undefined
}

async function readUser(db: Db, { id }: Place) {
  const row = await db
    .selectFrom('console_user')
    .select(['email', 'role', 'suspended', 'invited_to', 'invited_email', 'proof', 'totp_sealed'])
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { password_hash, ...settings } = row
  const accounts = await db
    .selectFrom('membership')
    .select(['account_id', 'role', 'source'])
    .where('user_id', '=', id)
    .orderBy('account_id')
    .execute()
  const passkeys = await db
    .selectFrom('passkey')
    .select('id')
    .where('user_id', '=', id)
    .orderBy('id')
    .execute()
  return { ...settings, hasPassword: password_hash !== null, accounts, passkeys }
}

async function readGroup(db: Db, { id }: Place) {
  const row = await db
    .selectFrom('service_group')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const grants = await db
    .selectFrom('group_grant')
    .select(['account_id', 'ends_at'])
    .where('group_id', '=', id)
    .orderBy('account_id')
    .execute()
  return { ...valuesOf(groupColumns, row), isRestricted: row.restricted === 1, grants }
}

async function readModel(db: Db, { id }: Place) {
  const row = await db.selectFrom('model').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const prices = await db
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', id)
    .orderBy('id')
    .execute()
  return { ...valuesOf(modelColumns, row), prices }
}

async function readUpstream(db: Db, { id }: Place) {
  const row = await db.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const credentials = await db
    .selectFrom('upstream_credential')
    .selectAll()
    .where('upstream_id', '=', id)
    .orderBy('id')
    .execute()
  return {
    ...valuesOf(upstreamColumns, row),
    proxy: row.proxy_sealed,
    credentials: credentials.map(settingsOfCredential),
  }
}

async function readCredential(db: Db, { id }: Place) {
  const row = await db
    .selectFrom('upstream_credential')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && settingsOfCredential(row)
}

/** A new value has a new id. */
function settingsOfCredential(row: UpstreamCredentialTable) {
  const { id, hint, origin } = row
  return { id, hint, origin, ...valuesOf(credentialColumns, row) }
}

/** The routes of a group and model, or of an upstream, change together, so they share a tag. */
async function readRoutes(db: Db, { query }: Place) {
  const [group, model, upstream] = ['group', 'model', 'upstream'].map((name) => {
    const given = query.get(name)
    return given === null || given === '' ? undefined : given
  })
  return listRoutes(db, { group, model, upstream })
}
