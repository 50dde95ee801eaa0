import { z } from 'zod'
import { accountDefinition, type ownAccountDefinition } from '../../accounts/definition/account.ts'
import {
  type AccountRole,
  accountRoleKind,
  memberDefinition,
  memberSourceKind,
  type newMemberDefinition,
} from '../../accounts/definition/member.ts'
import { type EditWireOf, type NewWireOf, partOf, shownShape } from '../../fields/definition.ts'
import { shownOf } from '../../fields/kind.ts'
import { budgetState } from './budgets.ts'
import { list, nanoText, timeMs } from './shapes.ts'

/** owner: members and everything below; member: keys and playground; viewer: read-only. */
export const accountRole = shownOf(accountRoleKind)
export type { AccountRole }

/** open-id: the groups at the identity provider decide about the role and the end of the membership. */
export const memberSource = shownOf(memberSourceKind)

export const accountMember = z.strictObject({
  userId: z.string(),
  ...shownShape(memberDefinition.fields),
  source: memberSource,
  /** False: invited, and the email is not verified. The user can access only this account, as a member at most. */
  isProven: z.boolean(),
  isAdmin: z.boolean(),
  isSuspended: z.boolean(),
  hasSignedIn: z.boolean(),
  /** When the invitation of a member whom nobody has verified expires; null after somebody has opened it. */
  invitationEndsAt: timeMs.nullable(),
  /** The member's spending of the limits. A caller who is neither the member nor an owner gets neither. */
  budgets: list(budgetState),
})
export type AccountMember = z.infer<typeof accountMember>

/** GET /accounts/{id} */
export const accountDetail = z.strictObject({
  ...shownShape(partOf(accountDefinition, ['id', 'name', 'endsAt']).fields),
  yourRole: accountRole,
  isSuspended: z.boolean(),
  /** Null for a caller who does not own the account. */
  availableNano: nanoText.nullable(),
  /** The spending limits of the account; empty when there are none, and for a caller who does not own the account. */
  budgets: list(budgetState),
  createdAt: timeMs,
  members: list(accountMember),
})
export type AccountDetail = z.infer<typeof accountDetail>

/** PATCH /accounts/{id} (owner) → AccountDetail */
export type AccountEdit = NewWireOf<typeof ownAccountDefinition>

/** POST /accounts/{id}/members (owner) → MemberAdded */
export type AddMemberRequest = NewWireOf<typeof newMemberDefinition>

export const memberAdded = z.strictObject({
  member: accountMember,
  /** For an administrator, if the user is new: signs the user in once, within a week. Shown once. */
  signInUrl: z.string().nullable(),
  /** For an owner: creates a user who is limited to this account. Works once, within a week. Shown once. */
  invitationUrl: z.string().nullable(),
  /** Whether the link is also on its way by email. */
  isMailed: z.boolean(),
})
export type MemberAdded = z.infer<typeof memberAdded>

/** An invitation that waits for the signed-in user; part of SessionAnswer. */
export const waitingInvitation = z.strictObject({
  accountId: z.string(),
  accountName: z.string(),
  role: accountRole,
})
export type WaitingInvitation = z.infer<typeof waitingInvitation>

/**
 * PATCH /accounts/{id}/members?user={userId} (owner) → AccountMember
 * DELETE /accounts/{id}/members?user={userId} (owner, or the member) → DoneAnswer
 */
export type MemberEdit = EditWireOf<typeof memberDefinition>
