import { useQuery } from '@tanstack/react-query'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { sessionQuery } from '../api/queries.ts'
import { useMayChange } from '../shell/use-may-change.ts'

export interface KeyRights {
  readonly isYours: boolean
  readonly mayDelete: boolean
  /** Settings, disabling. */
  readonly mayChange: boolean
  /** Whether the user of the key may change the settings. */
  readonly mayLock: boolean
  readonly mayRank: boolean
  /** Seeing and rotating the value: of one's own key, or of a service key of an account that one owns. */
  readonly hasValue: boolean
  readonly mayConvert: boolean
}

/** What this user may do with a key. The back end decides; this only hides what it would refuse. */
export function useKeyRights(row: KeyRow): KeyRights {
  const user = useQuery(sessionQuery).data?.user
  const isOwner = useOwnsAccount(row.accountId)
  const mayAct = useMayChange(row.accountId)
  const isYours = row.ownerId !== null && row.ownerId === user?.id
  return {
    isYours,
    mayDelete: isOwner || (isYours && mayAct),
    mayChange: isOwner || (isYours && mayAct && !row.isLocked),
    mayRank: isOwner,
    mayLock: isOwner && row.ownerId !== null && !isYours,
    hasValue: isYours ? mayAct : isOwner && row.ownerId === null,
    mayConvert: isOwner && row.ownerId !== null && row.state === 'stopped',
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
