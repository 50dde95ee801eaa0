import { useQuery } from '@tanstack/react-query'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { keyOptionsQuery, sessionQuery } from '../api/queries.ts'
import { useMayChange } from '../shell/use-may-change.ts'

export interface KeyRights {
  readonly isYours: boolean
  readonly mayDelete: boolean
  /** Whether the user may change the settings and disable the key. */
  readonly mayChange: boolean
  /** Whether the user may rename the key, also while its settings are locked. */
  readonly mayRename: boolean
  /** Whether the user may lock the settings, so that only owners can change them. */
  readonly mayLock: boolean
  readonly mayRank: boolean
  /**
   * Whether the user may see and rotate the value: of the user's own key, or of a service key of an account that the
   * user owns.
   */
  readonly hasValue: boolean
  readonly mayConvert: boolean
}

/**
 * The actions that this user may perform on a key. The back end decides; the page only hides the actions that the back
 * end would refuse.
 */
export function useKeyRights(row: KeyRow): KeyRights {
  const user = useQuery(sessionQuery).data?.user
  const isOwner = useOwnsAccount(row.accountId)
  const mayAct = useMayChange(row.accountId)
  const isYours = row.ownerId !== null && row.ownerId === user?.id
  // An administrator may change every account, and yet uses keys only as a member.
  const isStopped = row.state === 'stopped'
  const options = useQuery({
    ...keyOptionsQuery(row.accountId),
    enabled: isYours && isStopped,
  }).data
  const mayUse = mayAct && !(isStopped && options?.mayOwn === false)
  return {
    isYours,
    mayDelete: isOwner || (isYours && mayAct),
    mayRename: isOwner || (isYours && mayAct),
    mayChange: isOwner || (isYours && mayAct && !row.isLocked),
    mayRank: isOwner,
    mayLock: isOwner && row.ownerId !== null && !isYours,
    hasValue: isYours ? mayUse : isOwner && row.ownerId === null,
    mayConvert: isOwner && row.ownerId !== null && isStopped,
  }
}

/** Owners see all keys of their accounts; administrators are owners everywhere. Without an account: of any. */
export function useOwnsAccount(accountId?: string): boolean {
  const session = useQuery(sessionQuery).data
  if (session?.user?.role === 'admin') return true
  const accounts = session?.accounts ?? []
  return accounts.some(
    ({ id, role }) => role === 'owner' && (accountId === undefined || id === accountId),
  )
}
