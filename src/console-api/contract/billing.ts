import { z } from 'zod'
import { list, nanoText, timeMs } from './shapes.ts'

export const creditLine = z.strictObject({
  at: timeMs,
  /** Negative for a correction and for a reversal. */
  amountNano: nanoText,
  /** The grantor: console, cli, provision, … */
  source: z.string(),
  externalId: z.string(),
  /** A reversal has the reason of the credit that it reverses. */
  reason: z.string(),
  isReversal: z.boolean(),
})
export type CreditLine = z.infer<typeof creditLine>

export const spendDay = z.strictObject({
  /** In UTC, such as 2026-11-15. */
  day: z.string(),
  requests: z.number(),
  costNano: nanoText,
})
export type SpendDay = z.infer<typeof spendDay>

export const spendKey = z.strictObject({
  keyId: z.string(),
  keyName: z.string().nullable(),
  requests: z.number(),
  costNano: nanoText,
})
export type SpendKey = z.infer<typeof spendKey>

/** Money that replicas have reserved for one key. */
export const holdLine = z.strictObject({
  keyId: z.string(),
  keyName: z.string().nullable(),
  heldNano: nanoText,
  since: timeMs,
})
export type HoldLine = z.infer<typeof holdLine>

/**
 * GET /billing?account=&from=&to= : the account is required; `from` and `to` are days in UTC such as 2026-11-01,
 * inclusive; without them, this month. All figures belong to one moment: opening + credits − days = closing, and
 * closing + since = available + held + difference.
 * A caller who does not own the account gets the spending of their own keys, and null for every figure of the account.
 */
export const statementAnswer = z.strictObject({
  accountId: z.string(),
  accountName: z.string(),
  from: z.string(),
  to: z.string(),
  openingNano: nanoText.nullable(),
  credits: list(creditLine),
  /** Days with requests. */
  days: list(spendDay),
  /** The keys with the highest cost, at most 200. */
  keys: list(spendKey),
  creditedNano: nanoText.nullable(),
  spentNano: nanoText,
  closingNano: nanoText.nullable(),
  /** Credits minus spending after the period. */
  sinceNano: nanoText.nullable(),
  availableNano: nanoText.nullable(),
  heldNano: nanoText.nullable(),
  holds: list(holdLine),
  /** The amount that is not accounted for: 0 unless the ledger is wrong. */
  differenceNano: nanoText.nullable(),
})
export type StatementAnswer = z.infer<typeof statementAnswer>
