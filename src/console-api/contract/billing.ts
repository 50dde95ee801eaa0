import { z } from 'zod'
import { list, nanoText, timeMs } from './shapes.ts'

export const creditLine = z.strictObject({
  at: timeMs,
  /** Negative for a correction, and for the reversal of a credit. */
  amountNano: nanoText,
  /** Who granted it: console, cli, provision, … */
  source: z.string(),
  externalId: z.string(),
  /** Of a reversal: that of the credit that it reverses. */
  reason: z.string(),
  isReversal: z.boolean(),
})
export type CreditLine = z.infer<typeof creditLine>

export const spendDay = z.strictObject({
  /** In UTC, as in 2026-11-15. */
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

/** What the gateway's processes have set aside for one key. */
export const holdLine = z.strictObject({
  keyId: z.string(),
  keyName: z.string().nullable(),
  heldNano: nanoText,
  since: timeMs,
})
export type HoldLine = z.infer<typeof holdLine>

/**
 * GET /billing?account=&from=&to= : the account is required; `from` and `to` are days in UTC, as in 2026-11-01, the
 * last one included; this month when both are absent. Every figure is of one and the same moment:
 * opening + credits − days = closing, and closing + since = available + held + difference.
 * A caller who does not own the account gets the spending of their own keys, and null for every figure of the account.
 */
export const statementAnswer = z.strictObject({
  accountId: z.string(),
  accountName: z.string(),
  from: z.string(),
  to: z.string(),
  openingNano: nanoText.nullable(),
  credits: list(creditLine),
  /** Days on which something was called. */
  days: list(spendDay),
  /** The dearest of the period, 200 at most. */
  keys: list(spendKey),
  creditedNano: nanoText.nullable(),
  spentNano: nanoText,
  closingNano: nanoText.nullable(),
  /** Credits less spending after the period. */
  sinceNano: nanoText.nullable(),
  availableNano: nanoText.nullable(),
  heldNano: nanoText.nullable(),
  holds: list(holdLine),
  /** What the lines leave unexplained: 0, unless the books are wrong. */
  differenceNano: nanoText.nullable(),
})
export type StatementAnswer = z.infer<typeof statementAnswer>
