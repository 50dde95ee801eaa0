import type { FindingKind } from '../../core/codes.ts'

/** The progress of the self-audit: its last turn, the last request id counted, and the next page. */
export interface AuditStateTable {
  name: string
  at: number
  through: string
  after_account: string
  after_key: string
}

/** The cost of a key's entries, as far as the self-audit has counted them. */
export interface AuditPointTable {
  key_id: string
  cost_nano: bigint
  entries: number
}

/** An account whose balances do not add up. It gets no lease until it is released. */
export interface AuditStopTable {
  account_id: string
  found_at: number
  /** The findings as text, for replicas of the version before `audit_finding`. */
  findings: string
  released_at: number | null
}

/** A finding of a stopped account; `subject` is the account or the key. */
export interface AuditFindingTable {
  account_id: string
  kind: FindingKind
  subject: string
  difference_nano: bigint
}
