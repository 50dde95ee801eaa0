import type { NanoText, TimeMs } from './basics.ts'

/** owner: members and everything below; member: keys, playground; viewer: reads only. */
export type AccountRole = 'owner' | 'member' | 'viewer'

export interface AccountMember {
  readonly userId: string
  readonly email: string
  readonly role: AccountRole
  readonly isAdmin: boolean
  readonly isSuspended: boolean
  readonly hasSignedIn: boolean
}

/** GET /accounts/{id} */
export interface AccountDetail {
  readonly id: string
  readonly name: string
  readonly yourRole: AccountRole
  readonly isSuspended: boolean
  readonly endsAt: TimeMs | null
  readonly availableNano: NanoText
  readonly createdAt: TimeMs
  readonly members: readonly AccountMember[]
}

/** PATCH /accounts/{id} (owner) → AccountDetail */
export interface AccountEdit {
  readonly name: string
}

/** POST /accounts/{id}/members (owner) → MemberAdded */
export interface AddMemberRequest {
  readonly email: string
  readonly role: AccountRole
}

export interface MemberAdded {
  readonly member: AccountMember
  /** For somebody who had no login yet: a link that signs them in once, within an hour. Shown once. */
  readonly signInUrl: string | null
}

/**
 * PATCH /accounts/{id}/members?user={userId} (owner) → AccountMember
 * DELETE /accounts/{id}/members?user={userId} (owner) → DoneAnswer
 */
export interface MemberEdit {
  readonly role: AccountRole
}
