import type { FindingKind } from '../core/codes.ts'

/** How far the self-audit has come: the last turn, the last request id it has counted, where it looks next. */
export interface AuditStateTable {
  name: string
  at: number
  through: string
  after_account: string
  after_key: string
}

/** What a key's entries cost, as far as the self-audit has counted. */
export interface AuditPointTable {
  key_id: string
  cost_nano: bigint
  entries: number
}

/** An account whose books do not balance: it gets no lease until it is released. */
export interface AuditStopTable {
  account_id: string
  found_at: number
  /** In words, for replicas of the version before `audit_finding`. */
  findings: string
  released_at: number | null
}

/** What is wrong with the books of an account that is stopped; `subject` is the account or the key. */
export interface AuditFindingTable {
  account_id: string
  kind: FindingKind
  subject: string
  difference_nano: bigint
}
