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
  findings: string
  released_at: number | null
}
