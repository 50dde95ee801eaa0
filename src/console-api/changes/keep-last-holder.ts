import { soleRolesOf } from '../../accounts/last-holder.ts'
import { refuse } from '../refusal.ts'
import type { SignedInCall } from '../routes/route.ts'
import type { ChangeContext } from './change.ts'

type HolderCall = Pick<SignedInCall, 'session'> & {
  readonly query: { readonly force?: boolean | undefined }
}

/**
 * Runs a change of a user. Refuses it if the gateway then has no administrator who can sign in, or an account no owner
 * who can. An administrator can force the change.
 */
export async function keepLastHolder<Result>(
  { session, query }: HolderCall,
  { tx }: Pick<ChangeContext, 'tx'>,
  userId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (query.force === true && session.isAdmin) return work()
  const before = await soleRolesOf(tx, userId)
  const result = await work()
  const after = await soleRolesOf(tx, userId)
  if (before.isAdmin && !after.isAdmin) throw refuse('in_use', 'last_admin')
  const isSuspended = after.isSuspended && !before.isSuspended
  const account = before.accountIds.find((id) => isSuspended || !after.accountIds.includes(id))
  if (account !== undefined) throw refuse('in_use', 'last_owner', { values: { account } })
  return result
}
