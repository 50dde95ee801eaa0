import type { FindingKind } from '../../core/codes.ts'
import { formatDollars } from '../../core/money/money.ts'

/** One problem: its kind, the account or key, and the difference. */
export interface LedgerFinding {
  readonly kind: FindingKind
  readonly id: string
  readonly differenceNano: bigint
}

/** A finding of an earlier version, of which only the text is stored. */
interface TextFinding {
  readonly kind: null
  readonly line: string
}

export type StoredFinding = LedgerFinding | TextFinding

/** The text of a finding in the log and on the command line. Earlier versions store and compare this text: do not change it. */
export function findingLine(finding: StoredFinding): string {
  if (finding.kind === null) return finding.line
  const { id, differenceNano } = finding
  const amount = `${formatDollars(differenceNano)} US$`
  switch (finding.kind) {
    case 'credit':
      return `account ${id}: credits differ by ${amount} from the sum of available, leased and spent`
    case 'quota':
      return `key ${id}: the quota differs by ${amount} from the sum of available, leased and spent`
    case 'budget':
      return `budget ${id}: the limit differs by ${amount} from the sum of available, leased and spent`
    case 'entries':
      return `key ${id}: the amount spent differs by ${amount} from the sum of its entries`
  }
}

/** Accounts before keys; findings of one key together. */
export function sortFindings(findings: readonly LedgerFinding[]): LedgerFinding[] {
  const sortKeyOf = ({ kind, id }: LedgerFinding) => `${kind === 'credit' ? 0 : 1} ${id} ${kind}`
  return findings.toSorted((left, right) => (sortKeyOf(left) < sortKeyOf(right) ? -1 : 1))
}
