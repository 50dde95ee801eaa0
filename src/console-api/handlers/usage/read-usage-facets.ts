import { type RawBuilder, sql } from 'kysely'
import { protocolNames } from '../../../core/neutral/protocol-name.ts'
import { keysOf } from '../../../keys/key-list.ts'
import type { Engine } from '../../../store/engine.ts'
import { hourMs } from '../../../usage/usage-hour-sql.ts'
import { visibleAccounts } from '../../access/visible-accounts.ts'
import type { UsageFacets } from '../../contract.ts'
import type { JsonAnswer, Scope, SignedInCall } from '../../routes/route.ts'
import { hoursIn } from './sum-hours.ts'

const lookBackMs = 90 * 24 * hourMs
const keysMax = 1_000
const ownersMax = 1_000

/** Values for the filters of the log. */
export async function readUsageFacets(call: SignedInCall): Promise<JsonAnswer<UsageFacets>> {
  const { deps, scope, session, roles } = call
  const { engine } = deps
  const { accountIds } = scope
  const sinceMs = deps.clock.nowMs() - lookBackMs
  const [accounts, keys, users, used] = await Promise.all([
    visibleAccounts(engine, session, roles),
    listKeyNames(engine, scope),
    listKeyOwners(engine, scope),
    accountIds === undefined ? wholeCatalogue(engine) : usedBy(engine, scope, sinceMs),
  ])
  const names = accounts.map(({ id, name }) => ({ id, name }))
  return { body: { accounts: names, keys, users, ...used } }
}

/** Includes deleted keys: the log still has their rows. */
async function listKeyNames({ db }: Engine, scope: Scope): Promise<UsageFacets['keys']> {
  const whose = keysOf(scope)
  if (whose === 'none') return []
  const query = db.selectFrom('api_key').select(['id', 'name', 'account_id'])
  const scoped =
    whose === 'all'
      ? query
      : query.where(({ or, eb }) =>
          or([whose, eb('id', 'in', formerKeysIn(db, scope).select('o.key_id'))]),
        )
  const rows = await scoped.orderBy('id').limit(keysMax).execute()
  return rows.map((row) => ({ id: row.id, name: row.name, accountId: row.account_id }))
}

async function listKeyOwners({ db }: Engine, scope: Scope): Promise<UsageFacets['users']> {
  const whose = keysOf(scope)
  if (whose === 'none') return []
  const users = await db
    .selectFrom('console_user as u')
    .select(({ fn }) => ['u.id', fn.coalesce('u.invited_email', 'u.email').as('email')])
    .where(({ exists, or, selectFrom }) => {
      const keys = selectFrom('api_key')
        .select('api_key.id')
        .whereRef('api_key.owner_user_id', '=', 'u.id')
      const former = formerKeysIn(db, scope)
        .select('o.key_id')
        .where(sql<boolean>`o.user_id = u.id`)
      return or([exists(whose === 'all' ? keys : keys.where(whose)), exists(former)])
    })
    .orderBy('email')
    .orderBy('u.id')
    .limit(ownersMax)
    .execute()
  // Over all accounts, the keys of deleted users could be found only by reading every key.
  if (whose === 'all') return users
  return [...users, ...(await listDeletedOwners(db, scope, whose))]
}

/** The log names a deleted user by the id. */
async function listDeletedOwners(
  db: Engine['db'],
  scope: Scope,
  whose: RawBuilder<boolean>,
): Promise<UsageFacets['users']> {
  const owners = db
    .selectFrom('api_key')
    .select('owner_user_id as id')
    .where(whose)
    .union(formerKeysIn(db, scope).select('o.user_id as id'))
  const rows = await db
    .selectFrom(owners.as('owner'))
    .select(sql<string>`owner.id`.as('id'))
    .where('owner.id', 'is not', null)
    .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM console_user u WHERE u.id = owner.id)`)
    .orderBy('owner.id')
    .limit(ownersMax)
    .execute()
  return rows.map(({ id }) => ({ id, email: id }))
}

/** The service keys that were keys of users: of all in whole accounts, in others only those of the caller. */
function formerKeysIn(db: Engine['db'], { accountIds, own }: Scope) {
  const former = db.selectFrom('former_key_owner as o')
  if (accountIds === undefined) return former
  const ownIds = own?.accountIds ?? []
  const wholeIds = accountIds.filter((id) => !ownIds.includes(id))
  return former.where(({ and, eb, or }) =>
    or([
      ...(wholeIds.length === 0 ? [] : [eb('o.account_id', 'in', wholeIds)]),
      ...(own === undefined || ownIds.length === 0
        ? []
        : [and([eb('o.user_id', '=', own.userId), eb('o.account_id', 'in', ownIds)])]),
    ]),
  )
}

type Used = Pick<UsageFacets, 'models' | 'groups' | 'protocols'>

/** For administrators: the catalogue, instead of reading the sums of all accounts. */
async function wholeCatalogue({ db }: Engine): Promise<Used> {
  const models = await db.selectFrom('model').select('id').orderBy('id').execute()
  const groups = await db.selectFrom('service_group').select('id').orderBy('id').execute()
  return {
    models: models.map((row) => row.id),
    groups: groups.map((row) => row.id),
    protocols: protocolNames,
  }
}

async function usedBy({ db }: Engine, scope: Scope, sinceMs: number): Promise<Used> {
  const rows = await db
    .selectFrom('usage_hour as u')
    .select(['u.model', 'u.group_id', 'u.protocol'])
    .distinct()
    .where(hoursIn(scope))
    .where('u.hour', '>=', sinceMs)
    .execute()
  const sorted = (texts: readonly string[]) => [...new Set(texts)].filter(Boolean).sort()
  return {
    models: sorted(rows.map((row) => row.model)),
    groups: sorted(rows.map((row) => row.group_id)),
    protocols: sorted(rows.map((row) => row.protocol)),
  }
}
