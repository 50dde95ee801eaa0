import type { AccountRole } from '../../accounts/definition/member.ts'
import { isRoleEnough, rolesOf } from '../../accounts/member-store.ts'
import type { Session } from '../../accounts/session-store.ts'
import type { Engine } from '../../store/engine.ts'
import { fixedQuery } from '../../store/rows/fixed-query.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Operation, Ownership } from '../contract/operations/operation.ts'
import { freshSignInMs } from '../contract.ts'
import { ApiRefusal } from '../refusal.ts'
import type { Scope } from '../routes/route.ts'
import { checkMembership, readerScope } from './authorise-recordings.ts'

type Db = Engine['db']

const nothing: Scope = { accountIds: [] }
const everything: Scope = { accountIds: undefined }

export interface Claim {
  readonly session: Session | undefined
  /** The roles of a token; absent: as the database says for the user. */
  readonly roles?: ReadonlyMap<string, AccountRole> | undefined
  readonly query: URLSearchParams
  readonly id: string
  readonly nowMs: number
  body(): Promise<JsonObject>
}

/**
 * Enforces what the operation declares: caller, ownership, role, recent sign-in. What a caller may not see is reported
 * as not found; what a caller may see but not do is refused.
 */
export async function authorise(db: Db, operation: Operation, claim: Claim): Promise<Scope> {
  if (operation.who === 'anonymous') return nothing
  const { session } = claim
  if (!session) throw new ApiRefusal('not_signed_in', 'Sign in first.')
  if (operation.who === 'admin' && !session.isAdmin) {
    throw new ApiRefusal('not_allowed', 'Only an administrator can do this.')
  }
  const scope =
    operation.who === 'admin'
      ? everything
      : await scopeOf(db, operation.owns, { ...claim, session }, operation.role ?? 'viewer')
  if (operation.isFresh) checkFresh(session, claim.nowMs)
  return scope
}

export function checkFresh(session: Session, nowMs: number): void {
  if (nowMs - session.authenticatedAtMs <= freshSignInMs) return
  throw new ApiRefusal('reauthenticate', 'Confirm your identity again, then repeat the request.')
}

async function scopeOf(
  db: Db,
  owns: Ownership,
  claim: Claim & { readonly session: Session },
  least: AccountRole,
): Promise<Scope> {
  if (owns === 'self') return nothing
  const { userId, isAdmin } = claim.session
  const roles = isAdmin ? undefined : (claim.roles ?? (await rolesOf(db, userId)))
  const isOwnMember = owns === 'path-member' && claim.query.get('user') === userId
  const caller: Caller = { userId, roles, least: isOwnMember ? 'viewer' : least }
  const one = async (accountId: string): Promise<Scope> => {
    await checkAccount(db, caller, accountId)
    return scopeIn(caller, [accountId])
  }
  switch (owns) {
    case 'accounts': {
      const accountId = claim.query.get('account')
      if (accountId !== null && accountId !== '') return one(accountId)
      if (roles === undefined) return everything
      const enough = [...roles].filter(([, role]) => isRoleEnough(role, least))
      return scopeIn(
        caller,
        enough.map(([id]) => id),
      )
    }
    case 'one-account':
      return one(claim.query.get('account') ?? '')
    case 'path-account':
    case 'path-member':
      return one(claim.id)
    case 'body-account': {
      const { accountId } = await claim.body()
      return one(typeof accountId === 'string' ? accountId : '')
    }
    case 'path-key':
    case 'path-key-value': {
      const [key] = await selectKeyPlace(db, { id: claim.id })
      const accountId = checkKey(caller, key, 'key')
      if (owns === 'path-key-value') checkValue(caller, key)
      return scopeIn(caller, [accountId])
    }
    case 'path-request': {
      const row = await findLoggedPlace(db, claim.id)
      return scopeIn(caller, [checkKey(caller, row, 'request in the log')])
    }
    case 'path-recordings':
      await checkAccount(db, caller, claim.id)
      return readerScope(db, claim, claim.id)
    case 'path-recording': {
      const place = await findRecordedPlace(db, claim.id)
      if (!place || roles?.has(place.accountId) === false) throw notThere('recording')
      return readerScope(db, claim, place.accountId, place)
    }
    case 'path-own-account':
      await checkAccount(db, caller, claim.id)
      await checkMembership(db, claim, claim.id)
      return scopeIn(caller, [claim.id])
  }
}

interface Caller {
  readonly userId: string
  /** Undefined for an administrator, who is an owner everywhere. */
  readonly roles: ReadonlyMap<string, AccountRole> | undefined
  readonly least: AccountRole
}

/** The accounts; in those that the caller does not own, only the caller's own keys are visible. */
function scopeIn({ userId, roles }: Caller, accountIds: readonly string[]): Scope {
  const own = accountIds.filter((id) => roles !== undefined && roles.get(id) !== 'owner')
  return own.length === 0 ? { accountIds } : { accountIds, own: { userId, accountIds: own } }
}

async function checkAccount(db: Db, { roles, least }: Caller, accountId: string): Promise<void> {
  const role = roles === undefined ? await roleOfOperator(db, accountId) : roles.get(accountId)
  if (role === undefined) throw notThere('account')
  checkRole(role, least)
}

const selectAccount = fixedQuery((db, { id }: { id: string }) =>
  db.selectFrom('account').select('id').where('id', '=', id),
)

async function roleOfOperator(db: Db, id: string): Promise<AccountRole | undefined> {
  const [row] = await selectAccount(db, { id })
  return row && 'owner'
}

interface KeyPlace {
  readonly accountId: string
  readonly ownerId: string | null
}

/** Returns the account. The key of another user is visible only to owners of the account. */
function checkKey(
  { userId, roles, least }: Caller,
  key: KeyPlace | undefined,
  what: string,
): string {
  const role = key && (roles === undefined ? 'owner' : roles.get(key.accountId))
  if (!key || role === undefined || (role !== 'owner' && key.ownerId !== userId)) {
    throw notThere(what)
  }
  checkRole(role, least)
  return key.accountId
}

function checkValue({ userId }: Caller, key: KeyPlace | undefined): void {
  const ownerId = key?.ownerId ?? null
  if (ownerId === null || ownerId === userId) return
  throw new ApiRefusal(
    'not_allowed',
    'This key belongs to a user. Only that user can see, replace or use its value.',
  )
}

function notThere(what: string): ApiRefusal {
  return new ApiRefusal('not_found', `This ${what} does not exist.`)
}

function checkRole(role: AccountRole, least: AccountRole): void {
  if (isRoleEnough(role, least)) return
  throw new ApiRefusal(
    'not_allowed',
    `Your role in this account is ${role}. This operation needs the role ${least}.`,
  )
}

const selectKeyPlace = fixedQuery((db, { id }: { id: string }) =>
  db
    .selectFrom('api_key')
    .select(['account_id as accountId', 'owner_user_id as ownerId'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
)

/** A request belongs to the user whose key it was at that time. */
async function findLoggedPlace(db: Db, id: string): Promise<KeyPlace | undefined> {
  return db
    .selectFrom('usage_row as r')
    .leftJoin('api_key as k', 'k.id', 'r.key_id')
    .leftJoin('former_key_owner as f', (join) =>
      join.onRef('f.key_id', '=', 'r.key_id').onRef('r.at', '<', 'f.until_at'),
    )
    .select('r.account_id as accountId')
    .select(({ fn }) => fn.coalesce('k.owner_user_id', 'f.user_id').as('ownerId'))
    .where('r.request_id', '=', id)
    .executeTakeFirst()
}

async function findRecordedPlace(db: Db, id: string): Promise<KeyPlace | undefined> {
  return db
    .selectFrom('recording as r')
    .leftJoin('api_key as k', 'k.id', 'r.key_id')
    .select(['r.account_id as accountId', 'k.owner_user_id as ownerId'])
    .where('r.request_id', '=', id)
    .executeTakeFirst()
}
