import { z } from 'zod'
import { list, nanoText, timeMs } from './shapes.ts'

/** owner: members and everything below; member: keys, playground; viewer: reads only. */
export const accountRole = z.enum(['owner', 'member', 'viewer'])
export type AccountRole = z.infer<typeof accountRole>

export const accountMember = z.strictObject({
  userId: z.string(),
  email: z.string(),
  role: accountRole,
  /** False: invited, and nobody has proven the address. The login acts in this account only, as a member at most. */
  isProven: z.boolean(),
  isAdmin: z.boolean(),
  isSuspended: z.boolean(),
  hasSignedIn: z.boolean(),
})
export type AccountMember = z.infer<typeof accountMember>

/** GET /accounts/{id} */
export const accountDetail = z.strictObject({
  id: z.string(),
  name: z.string(),
  yourRole: accountRole,
  isSuspended: z.boolean(),
  endsAt: timeMs.nullable(),
  availableNano: nanoText,
  createdAt: timeMs,
  members: list(accountMember),
})
export type AccountDetail = z.infer<typeof accountDetail>

/** PATCH /accounts/{id} (owner) → AccountDetail */
export interface AccountEdit {
  readonly name: string
}

/** POST /accounts/{id}/members (owner) → MemberAdded */
export interface AddMemberRequest {
  readonly email: string
  readonly role: AccountRole
}

export const memberAdded = z.strictObject({
  member: accountMember,
  /** To an administrator, for somebody who had no login yet: signs them in once, within an hour. Shown once. */
  signInUrl: z.string().nullable(),
  /** To an owner: opens a login that is confined to this account, once, within a week. Shown once. */
  invitationUrl: z.string().nullable(),
})
export type MemberAdded = z.infer<typeof memberAdded>

/** An account that waits for the signed-in user to accept; part of SessionAnswer. */
export const waitingInvitation = z.strictObject({
  accountId: z.string(),
  accountName: z.string(),
  role: accountRole,
})
export type WaitingInvitation = z.infer<typeof waitingInvitation>

/**
 * PATCH /accounts/{id}/members?user={userId} (owner) → AccountMember
 * DELETE /accounts/{id}/members?user={userId} (owner) → DoneAnswer
 */
export interface MemberEdit {
  readonly role: AccountRole
}
