import { z } from 'zod'
import { accountDefinition, type newAccountDefinition } from '../../accounts/definition/account.ts'
import { memberDefinition } from '../../accounts/definition/member.ts'
import { type newUserDefinition, proofs, userDefinition } from '../../accounts/definition/user.ts'
import { type EditWireOf, type NewWireOf, partOf, shownShape } from '../../fields/definition.ts'
import type { creditDefinition } from '../../ledger/definition/credit.ts'
import { accountMember, memberSource } from './account.ts'
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
  /** The self-audit found that the ledger does not balance: new requests are refused until the account is released. */
  isStopped: z.boolean(),
  /** The spending limits; empty when there are none. */
  budgets: list(budgetState),
})
export type AccountRow = z.infer<typeof accountRow>

/** GET /operate/accounts?search=&after= : sorted by id. */
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
  members: list(accountMember),
  /** Newest first, at most fifty; the statement has all. */
  credits: list(operatorCredit),
  /** Why the self-audit stopped the account. */
  findings: list(auditFinding),
})
export type OperatorAccountDetail = z.infer<typeof operatorAccountDetail>

/** The account after a movement of money. */
export const moneyMoved = z.strictObject({
  ...operatorAccountDetail.shape,
  /** The amount added; negative: deducted; 0: the same credit was granted or reversed before. */
  movedNano: nanoText,
})
export type MoneyMoved = z.infer<typeof moneyMoved>

/** GET /operate/accounts/{id}/statement?from=&to= : milliseconds; `to` is exclusive. */
export const ledgerStatement = z.strictObject({
  accountId: z.string(),
  /** Credits minus spending before the period. */
  openingNano: nanoText,
  credits: list(
    z.strictObject({
      at: timeMs,
      amountNano: nanoText,
      source: z.string(),
      externalId: z.string(),
      /** A reversal has the reason of the credit that it reverses. */
      reason: z.string(),
      isReversal: z.boolean(),
    }),
  ),
  /** By UTC day, then by key. */
  spending: list(
    z.strictObject({
      day: z.string(),
      keyId: z.string(),
      requests: z.number(),
      costNano: nanoText,
    }),
  ),
  /** Opening plus credits minus spending. */
  closingNano: nanoText,
  /** Credits minus spending after the period. */
  sinceNano: nanoText,
  availableNano: nanoText,
  /** The unused part of open leases. */
  leasedNano: nanoText,
  /** The amount that is not accounted for: 0 unless the ledger is wrong. */
  differenceNano: nanoText,
})
export type LedgerStatement = z.infer<typeof ledgerStatement>

/** POST /operate/accounts → OperatorAccountDetail */
export type CreateAccountRequest = NewWireOf<typeof newAccountDefinition>

/** PATCH /operate/accounts/{id} → OperatorAccountDetail; POST /operate/accounts/{id}/release → the same. */
export type OperatorAccountEdit = EditWireOf<typeof accountDefinition>

/**
 * POST /operate/accounts/{id}/credits → MoneyMoved. POST /operate/credits/{id}/reverse → the same: deducts the
 * whole credit, once. POST /operate/accounts/{id}/reverse also does, by the credit's id or, if no id matches, its external id. None
 * deducts more than is available: 409 credit_short. The balance has an upper limit: 409 balance_too_large. A grant of at least `confirmGrantsFrom` needs `confirm=true`,
 * as do the initial credit of an account and the reversal of a correction: 409 credit_unconfirmed.
 */
export type AddCreditRequest = NewWireOf<typeof creditDefinition>

export const userRow = z.strictObject({
  id: z.string(),
  ...shownShape(userDefinition.fields),
  /** The source of the verification; null for a user whom an owner has invited. */
  proof: z.enum(proofs).nullable(),
  /** open-id: the first sign-in with the identity provider has created the user. */
  source: memberSource,
  /** The account that a user without a verified email is limited to. */
  invitedTo: z.string().nullable(),
  /** When the invitation expires; null for a verified user, and after somebody has opened it. */
  invitationEndsAt: timeMs.nullable(),
  hasPassword: z.boolean(),
  hasTotp: z.boolean(),
  /** How many passkeys the user has. */
  passkeys: z.number(),
  /** Whether the user is linked to an identity at the provider. */
  hasOpenId: z.boolean(),
  /** Whether only the provider signs the user in, so that a password or passkey of the user does not count. */
  isOpenIdOnly: z.boolean(),
  createdAt: timeMs,
  seenAt: timeMs.nullable(),
  /** With account names. */
  accounts: list(
    z.strictObject({
      ...shownShape(partOf(accountDefinition, ['id', 'name']).fields),
      ...shownShape(partOf(memberDefinition, ['role']).fields),
      source: memberSource,
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

/** Also the response of POST /operate/users/{id}/sign-in-link (needs a recent sign-in). */
export const userWithLink = z.strictObject({
  user: userRow,
  /** Signs a new user in once, within a week, or any other user within an hour. Shown once. */
  signInUrl: z.string(),
  /** Whether the link is also on its way by email. */
  isMailed: z.boolean(),
})
export type UserWithLink = z.infer<typeof userWithLink>

/**
 * POST /operate/users/{id}/vouch (needs a recent sign-in): an administrator marks the email as verified. Password,
 * authenticator app, passkeys and sessions are cleared. If the email already has a verified user, that user gets the
 * memberships, and there is no link.
 */
export const userVouched = z.strictObject({
  user: userRow,
  /** Signs this user in once, within a week. Shown once. */
  signInUrl: z.string().nullable(),
  /** Whether the link is also on its way by email. */
  isMailed: z.boolean(),
})
export type UserVouched = z.infer<typeof userVouched>

/**
 * PATCH /operate/users/{id} → UserRow; users cannot suspend or demote themselves. Suspending ends all sessions. POST
 * /operate/users/{id}/totp/remove → UserRow, for a user who has lost the app; POST /operate/users/{id}/passkeys/remove
 * → UserRow; POST /operate/users/{id}/open-id/remove → UserRow, when the person has a new identity. DELETE /operate/users/{id} → DoneAnswer
 */
export type UserEdit = EditWireOf<typeof userDefinition>
