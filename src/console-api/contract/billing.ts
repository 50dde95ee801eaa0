import type { NanoText, TimeMs } from './basics.ts'

export interface CreditLine {
  readonly at: TimeMs
  /** Negative for a correction, and for the reversal of a credit. */
  readonly amountNano: NanoText
  /** Who granted it: console, cli, provision, … */
  readonly source: string
  readonly externalId: string
  /** Of a reversal: that of the credit that it reverses. */
  readonly reason: string
  readonly isReversal: boolean
}

export interface SpendDay {
  /** In UTC, as in 2026-11-15. */
  readonly day: string
  readonly requests: number
  readonly costNano: NanoText
}

export interface SpendKey {
  readonly keyId: string
  readonly keyName: string | null
  readonly requests: number
  readonly costNano: NanoText
}

/** What the gateway's processes have set aside for one key. */
export interface HoldLine {
  readonly keyId: string
  readonly keyName: string | null
  readonly heldNano: NanoText
  readonly since: TimeMs
}

/**
 * GET /billing?account=&from=&to= : the account is required; `from` and `to` are days in UTC, as in 2026-11-01, the
 * last one included; this month when both are absent. Every figure is of one and the same moment:
 * opening + credits − days = closing, and closing + since = available + held + difference.
 */
export interface StatementAnswer {
  readonly accountId: string
  readonly accountName: string
  readonly from: string
  readonly to: string
  readonly openingNano: NanoText
  readonly credits: readonly CreditLine[]
  /** Days on which something was called. */
  readonly days: readonly SpendDay[]
  /** The dearest of the period, 200 at most. */
  readonly keys: readonly SpendKey[]
  readonly creditedNano: NanoText
  readonly spentNano: NanoText
  readonly closingNano: NanoText
  /** Credits less spending after the period. */
  readonly sinceNano: NanoText
  readonly availableNano: NanoText
  readonly heldNano: NanoText
  readonly holds: readonly HoldLine[]
  /** What the lines leave unexplained: 0, unless the books are wrong. */
  readonly differenceNano: NanoText
}
