import { z } from 'zod'
import { accountDefinition, type newAccountDefinition } from '../../accounts/definition/account.ts'
import { memberRoleDefinition } from '../../accounts/definition/member.ts'
import { type newUserDefinition, userDefinition } from '../../accounts/definition/user.ts'
import { type EditWireOf, type NewWireOf, partOf, shownShape } from '../../fields/definition.ts'
import type { creditDefinition } from '../../ledger/definition/credit.ts'
import { accountMember } from './account.ts'
import { creditLine } from './billing.ts'
import { budgetState } from './budgets.ts'
import { list, nanoText, page, timeMs } from './shapes.ts'
import { auditFinding } from './system.ts'

export const accountRow = z.strictObject({
  ...shownShape(accountDefinition.fields),
  createdAt: timeMs,
  availableNano: nanoText,
  heldNano: nanoText,
  spentNano: nanoText,
  keyCount: z.number(),
  memberCount: z.number(),
  /** The self-audit has found that the books do not balance: no new requests until it is released. */
  isStopped: z.boolean(),
})
export type AccountRow = z.infer<typeof accountRow>

/** GET /operate/accounts?search=&after= : in order of id. */
export const accountsAnswer = z.strictObject({
  ...page.shape,
  accounts: list(accountRow),
})
export type AccountsAnswer = z.infer<typeof accountsAnswer>

export const operatorCredit = z.strictObject({
  ...creditLine.shape,
  id: z.string(),
  isReversed: z.boolean(),
})
export type OperatorCredit = z.infer<typeof operatorCredit>

/** GET /operate/accounts/{id} */
export const operatorAccountDetail = z.strictObject({
  ...accountRow.shape,
  /** The spending limits; empty when there are none. */
  budgets: list(budgetState),
  members: list(accountMember),
  /** The newest first, fifty at most; all of them are in the statement. */
  credits: list(operatorCredit),
  /** Why the self-audit has stopped it. */
  findings: list(auditFinding),
})
export type OperatorAccountDetail = z.infer<typeof operatorAccountDetail>

/** The account after money was moved in it. */
export const moneyMoved = z.strictObject({
  ...operatorAccountDetail.shape,
  /** What was added; negative: taken back. 0: this very credit had been granted, or reversed, before. */
  movedNano: nanoText,
})
export type MoneyMoved = z.infer<typeof moneyMoved>

/** GET /operate/accounts/{id}/statement?from=&to= : milliseconds; the end is not included. */
export const ledgerStatement = z.strictObject({
  accountId: z.string(),
  /** Credits less spending before the period. */
  openingNano: nanoText,
  credits: list(
    z.strictObject({
      at: timeMs,
      amountNano: nanoText,
      source: z.string(),
      externalId: z.string(),
      reason: z.string(),
    }),
  ),
  /** By day in UTC, then key. */
  spending: list(
    z.strictObject({
      day: z.string(),
      keyId: z.string(),
      requests: z.number(),
      costNano: nanoText,
    }),
  ),
  /** Opening and credits, less spending. */
  closingNano: nanoText,
  /** Credits less spending after the period. */
  sinceNano: nanoText,
  availableNano: nanoText,
  /** What open leases have not used. */
  leasedNano: nanoText,
  /** What the lines leave unexplained: 0, unless the books are wrong. */
  differenceNano: nanoText,
})
export type LedgerStatement = z.infer<typeof ledgerStatement>

/** POST /operate/accounts → OperatorAccountDetail */
export type CreateAccountRequest = NewWireOf<typeof newAccountDefinition>

/** PATCH /operate/accounts/{id} → OperatorAccountDetail; POST /operate/accounts/{id}/release → the same. */
export type OperatorAccountEdit = EditWireOf<typeof accountDefinition>

/**
 * POST /operate/accounts/{id}/credits → MoneyMoved. POST /operate/credits/{id}/reverse → the same: takes the whole
 * credit back, once. POST /operate/accounts/{id}/reverse too, by the credit's id or the number that it was granted
 * with. None takes more than the account has available: 409 credit_short.
 */
export type AddCreditRequest = NewWireOf<typeof creditDefinition>

export const userRow = z.strictObject({
  id: z.string(),
  ...shownShape(userDefinition.fields),
  /** Who says that the address is this person's; null for a login that an owner has invited. */
  proof: z.enum(['operator', 'open-id']).nullable(),
  /** The account that a login with an unproven address is confined to. */
  invitedTo: z.string().nullable(),
  hasPassword: z.boolean(),
  hasTotp: z.boolean(),
  createdAt: timeMs,
  seenAt: timeMs.nullable(),
  /** With the names of the accounts. */
  accounts: list(
    z.strictObject({
      ...shownShape(partOf(accountDefinition, ['id', 'name']).fields),
      ...shownShape(memberRoleDefinition.fields),
    }),
  ),
})
export type UserRow = z.infer<typeof userRow>

/** GET /operate/users?search=&after= ; GET /operate/users/{id} → UserRow */
export const usersAnswer = z.strictObject({
  ...page.shape,
  users: list(userRow),
})
export type UsersAnswer = z.infer<typeof usersAnswer>

/** POST /operate/users → UserWithLink */
export type CreateUserRequest = NewWireOf<typeof newUserDefinition>

/** Also the answer to POST /operate/users/{id}/sign-in-link (fresh sign-in needed). */
export const userWithLink = z.strictObject({
  user: userRow,
  /** Signs this user in once, within an hour. Shown once. */
  signInUrl: z.string(),
})
export type UserWithLink = z.infer<typeof userWithLink>

/**
 * POST /operate/users/{id}/vouch (fresh sign-in needed): an administrator says that the address is this person's.
 * Everything that was set before is cleared. If the address has a proven login already, that login gets the
 * memberships, and there is no link.
 */
export const userVouched = z.strictObject({
  user: userRow,
  /** Signs this user in once, within an hour. Shown once. */
  signInUrl: z.string().nullable(),
})
export type UserVouched = z.infer<typeof userVouched>

/**
 * PATCH /operate/users/{id} → UserRow; nobody suspends or demotes themselves. Suspending ends all sessions.
 * POST /operate/users/{id}/totp/remove → UserRow, for somebody who has lost the app.
 * DELETE /operate/users/{id} → DoneAnswer
 */
export type UserEdit = EditWireOf<typeof userDefinition>
