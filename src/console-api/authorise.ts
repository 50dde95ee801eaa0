import type { Session } from '../accounts/session-store.ts'
import type { Engine } from '../store/engine.ts'
import { Refusal } from './refusal.ts'
import type { Route, Scope } from './route.ts'
import { visibleAccountIds } from './visible-accounts.ts'

const nothing: Scope = { accountIds: [] }

/** Enforces what the route declares: first the role, then the ownership. What a caller may not see is not there. */
export async function authorise(
  engine: Engine,
  route: Pick<Route, 'who' | 'owns'>,
  call: { session: Session | undefined; query: URLSearchParams; id: string },
): Promise<Scope> {
  const { session } = call
  if (route.who === 'anonymous') return nothing
  if (!session) throw new Refusal('not_signed_in', 'Sign in first.')
  if (route.who === 'admin' && !session.isAdmin) {
    throw new Refusal('not_allowed', 'Only an administrator may do this.')
  }
  if (route.owns === 'self') return nothing
  const accountIds = await visibleAccountIds(engine, session)
  if (route.owns === 'account') return narrow(accountIds, call.query.get('account'))
  await checkOwnsRequest(engine, accountIds, call.id)
  return { accountIds }
}

function narrow(accountIds: Scope['accountIds'], accountId: string | null): Scope {
  if (accountId === null || accountId === '') return { accountIds }
  if (accountIds !== undefined && !accountIds.includes(accountId)) {
    throw new Refusal('not_found', 'There is no such account.')
  }
  return { accountIds: [accountId] }
}

async function checkOwnsRequest(
  engine: Engine,
  accountIds: Scope['accountIds'],
  requestId: string,
): Promise<void> {
  const row = await engine.db
    .selectFrom('usage_row')
    .select('account_id')
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (row && (accountIds === undefined || accountIds.includes(row.account_id))) return
  throw new Refusal('not_found', 'There is no such request in the log.')
}
