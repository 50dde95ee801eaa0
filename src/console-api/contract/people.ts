import type { accountDefinition, newAccountDefinition } from '../../accounts/definition/account.ts'
import type { newUserDefinition, userDefinition } from '../../accounts/definition/user.ts'
import type { EditWireOf, NewWireOf } from '../../fields/definition.ts'
import type { creditDefinition } from '../../ledger/definition/credit.ts'
import type { AccountMember, AccountRole } from './account.ts'
import type { NanoText, Page, TimeMs } from './basics.ts'
import type { CreditLine } from './billing.ts'
import type { Role } from './session.ts'
import type { AuditFinding } from './system.ts'

export interface AccountRow {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly endsAt: TimeMs | null
  readonly createdAt: TimeMs
  readonly availableNano: NanoText
  readonly heldNano: NanoText
  readonly spentNano: NanoText
  readonly keyCount: number
  readonly memberCount: number
  /** The self-audit has found that the books do not balance: no new requests until it is released. */
  readonly isStopped: boolean
}

/** GET /operate/accounts?search=&after= : in order of id. */
export interface AccountsAnswer extends Page {
  readonly accounts: readonly AccountRow[]
}

export interface OperatorCredit extends CreditLine {
  readonly id: string
  readonly isReversed: boolean
}

/** GET /operate/accounts/{id} */
export interface OperatorAccountDetail extends AccountRow {
  readonly members: readonly AccountMember[]
  /** The newest first, fifty at most; all of them are in the statement. */
  readonly credits: readonly OperatorCredit[]
  /** Why the self-audit has stopped it. */
  readonly findings: readonly AuditFinding[]
}

/** POST /operate/accounts → OperatorAccountDetail */
export type CreateAccountRequest = NewWireOf<typeof newAccountDefinition>

/** PATCH /operate/accounts/{id} → OperatorAccountDetail; POST /operate/accounts/{id}/release → the same. */
export type OperatorAccountEdit = EditWireOf<typeof accountDefinition>

/**
 * POST /operate/accounts/{id}/credits → OperatorAccountDetail. POST /operate/credits/{id}/reverse → the same: takes
 * the whole credit back, once. Neither takes more than the account has available: 409 credit_short.
 */
export type AddCreditRequest = NewWireOf<typeof creditDefinition>

export interface UserRow {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** Who says that the address is this person's; null for a login that an owner has invited. */
  readonly proof: 'operator' | 'open-id' | null
  /** The account that a login with an unproven address is confined to. */
  readonly invitedTo: string | null
  readonly isSuspended: boolean
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  readonly createdAt: TimeMs
  readonly seenAt: TimeMs | null
  readonly accounts: readonly {
    readonly id: string
    readonly name: string
    readonly role: AccountRole
  }[]
}

/** GET /operate/users?search=&after= ; GET /operate/users/{id} → UserRow */
export interface UsersAnswer extends Page {
  readonly users: readonly UserRow[]
}

/** POST /operate/users → UserWithLink */
export type CreateUserRequest = NewWireOf<typeof newUserDefinition>

/** Also the answer to POST /operate/users/{id}/sign-in-link (fresh sign-in needed). */
export interface UserWithLink {
  readonly user: UserRow
  /** Signs this user in once, within an hour. Shown once. */
  readonly signInUrl: string
}

/**
 * POST /operate/users/{id}/vouch (fresh sign-in needed): an administrator says that the address is this person's.
 * Everything that was set before is cleared. If the address has a proven login already, that login gets the
 * memberships, and there is no link.
 */
export interface UserVouched {
  readonly user: UserRow
  /** Signs this user in once, within an hour. Shown once. */
  readonly signInUrl: string | null
}

/**
 * PATCH /operate/users/{id} → UserRow; nobody suspends or demotes themselves. Suspending ends all sessions.
 * POST /operate/users/{id}/totp/remove → UserRow, for somebody who has lost the app.
 * DELETE /operate/users/{id} → DoneAnswer
 */
export type UserEdit = EditWireOf<typeof userDefinition>
