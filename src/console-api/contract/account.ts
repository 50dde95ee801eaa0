import type { ownAccountDefinition } from '../../accounts/definition/account.ts'
import type {
  AccountRole,
  memberDefinition,
  memberRoleDefinition,
} from '../../accounts/definition/member.ts'
import type { InvitationChoice, LinkRequest } from '../../accounts/definition/sign-in.ts'
import type { NewWireOf } from '../../fields/definition.ts'
import type { NanoText, TimeMs } from './basics.ts'

/** owner: members and everything below; member: keys, playground; viewer: reads only. */
export type { AccountRole }

export interface AccountMember {
  readonly userId: string
  readonly email: string
  readonly role: AccountRole
  /** False: invited, and nobody has proven the address. The login acts in this account only, as a member at most. */
  readonly isProven: boolean
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
export type AccountEdit = NewWireOf<typeof ownAccountDefinition>

/** POST /accounts/{id}/members (owner) → MemberAdded */
export type AddMemberRequest = NewWireOf<typeof memberDefinition>

export interface MemberAdded {
  readonly member: AccountMember
  /** To an administrator, for somebody who had no login yet: signs them in once, within an hour. Shown once. */
  readonly signInUrl: string | null
  /** To an owner: opens a login that is confined to this account, once, within a week. Shown once. */
  readonly invitationUrl: string | null
}

/** POST /invitation → SessionAnswer. Whoever is signed in with the invited address joins with that login. */
export type InvitationRequest = LinkRequest

/** An account that waits for the signed-in user to accept; part of SessionAnswer. */
export interface WaitingInvitation {
  readonly accountId: string
  readonly accountName: string
  readonly role: AccountRole
}

/** POST /invitations/accept and POST /invitations/decline → SessionAnswer */
export type { InvitationChoice }

/**
 * PATCH /accounts/{id}/members?user={userId} (owner) → AccountMember
 * DELETE /accounts/{id}/members?user={userId} (owner) → DoneAnswer
 */
export type MemberEdit = NewWireOf<typeof memberRoleDefinition>
