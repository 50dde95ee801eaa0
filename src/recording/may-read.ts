import type { RecordingPolicy } from './definition/policy.ts'

/** The recordings that a person may read. */
export type RecordingReach = 'all' | 'own-keys' | 'none'

export interface RecordingReader {
  /** The role in the account as a member of it; undefined for everybody else. */
  readonly role: string | undefined
  /** An operator of the gateway, or a token that one has made. */
  readonly isOperator: boolean
}

/** Operators have every other right in an account, but not this one: only the account can grant it. */
export function recordingReach(
  { readers, isOpenToOperators }: Pick<RecordingPolicy, 'readers' | 'isOpenToOperators'>,
  { role, isOperator }: RecordingReader,
): RecordingReach {
  if (role === 'owner' || (isOperator && isOpenToOperators)) return 'all'
  if (role === undefined || readers === 'owners') return 'none'
  return readers === 'members' ? 'all' : 'own-keys'
}
