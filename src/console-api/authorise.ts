import type { AccountRole } from '../accounts/definition/member.ts'
import { isRoleEnough, rolesOf } from '../accounts/member-store.ts'
import type { Session } from '../accounts/session-store.ts'
import type { Engine } from '../store/engine.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Operation, Ownership } from './contract/operation.ts'
import { freshSignInMs } from './contract.ts'
import { ApiRefusal } from './refusal.ts'
import type { Scope } from './route.ts'

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
export async function authorise(
  engine: Engine,
  operation: Operation,
  claim: Claim,
): Promise<Scope> {
  if (operation.who === 'anonymous') return nothing
  const { session } = claim
  if (!session) throw new ApiRefusal('not_signed_in', 'Sign in first.')
  if (operation.who === 'admin' && !session.isAdmin) {
    throw new ApiRefusal('not_allowed', 'Only an administrator can do this.')
  }
  const scope =
    operation.who === 'admin'
      ? everything
      : await scopeOf(engine, operation.owns, { ...claim, session }, operation.role ?? 'viewer')
  if (operation.isFresh) checkFresh(session, claim.nowMs)
  return scope
}

export function checkFresh(session: Session, nowMs: number): void {
  if (nowMs - session.authenticatedAtMs <= freshSignInMs) return
  throw new ApiRefusal('reauthenticate', 'Confirm your identity again, then repeat the request.')
}

async function scopeOf(
  engine: Engine,
  owns: Ownership,
  claim: Claim & { readonly session: Session },
  least: AccountRole,
): Promise<Scope> {
  if (owns === 'self') return nothing
  const roles = claim.session.isAdmin
    ? undefined
    : (claim.roles ?? (await rolesOf(engine.db, claim.session.userId)))
  const one = async (accountId: string | undefined, what: string): Promise<Scope> => {
    await checkRole(engine, roles, accountId, { least, what })
    return { accountIds: accountId === undefined ? [] : [accountId] }
  }
  switch (owns) {
    case 'accounts': {
      const accountId = claim.query.get('account')
      if (accountId !== null && accountId !== '') return one(accountId, 'account')
      if (roles === undefined) return everything
      const enough = [...roles].filter(([, role]) => isRoleEnough(role, least))
      return { accountIds: enough.map(([id]) => id) }
    }
    case 'one-account':
      return one(claim.query.get('account') ?? '', 'account')
    case 'path-account':
      return one(claim.id, 'account')
    case 'body-account': {
      const { accountId } = await claim.body()
      return one(typeof accountId === 'string' ? accountId : '', 'account')
    }
    case 'path-key':
      return one(await accountOfKey(engine, claim.id), 'key')
    case 'path-request':
      return one(await accountOfRequest(engine, claim.id), 'request in the log')
  }
}

/** `roles` is undefined for an administrator, who is an owner everywhere. */
async function checkRole(
  engine: Engine,
  roles: ReadonlyMap<string, AccountRole> | undefined,
  accountId: string | undefined,
  { least, what }: { readonly least: AccountRole; readonly what: string },
): Promise<void> {
  const role = accountId === undefined ? undefined : roles?.get(accountId)
  const isThere =
    roles === undefined
      ? accountId !== undefined && (await isAccount(engine, accountId))
      : role !== undefined
  if (!isThere) throw new ApiRefusal('not_found', `This ${what} does not exist.`)
  if (role === undefined || isRoleEnough(role, least)) return
  throw new ApiRefusal(
    'not_allowed',
    `Your role in this account is ${role}. This operation needs the role ${least}.`,
  )
}

async function isAccount({ db }: Engine, id: string): Promise<boolean> {
  const row = await db.selectFrom('account').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

async function accountOfKey({ db }: Engine, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('api_key')
    .select('account_id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.account_id
}

async function accountOfRequest({ db }: Engine, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('usage_row')
    .select('account_id')
    .where('request_id', '=', id)
    .executeTakeFirst()
  return row?.account_id
}
