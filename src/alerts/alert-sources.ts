import { type AlertSource, storedKinds } from './alert-source.ts'
import { budgetLow } from './sources/budget-low.ts'
import { creditLow } from './sources/credit-low.ts'
import { keyExpiring } from './sources/key-expiring.ts'
import { ledgerFinding } from './sources/ledger-finding.ts'
import { spendUnusual } from './sources/spend-unusual.ts'
import { credentialRejected, upstreamDown } from './sources/upstream-conditions.ts'

/** All sources, one for each kind. */
export const alertSources: readonly AlertSource[] = [
  creditLow,
  budgetLow,
  keyExpiring,
  spendUnusual,
  upstreamDown,
  credentialRejected,
  ledgerFinding,
]

/** The kinds of the rows of `alert_crossing` that count: one row for each condition. */
export const countedKinds: readonly string[] = alertSources.flatMap((source) =>
  storedKinds(source).slice(0, 1),
)
