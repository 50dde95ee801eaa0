/** A token for the admin API; see `admin-tokens`. */
export interface AdminTokenTable {
  id: string
  name: string
  value_hash: string
  /** What people may see of the value. */
  value_hint: string
  /** JSON list of scopes. */
  scopes: string
  /** Null: the whole gateway. */
  account_id: string | null
  /** JSON list of addresses and networks; null: from anywhere. */
  addresses: string | null
  expires_at: number | null
  /** As an actor of the audit log: a user, `cli`, or `token:` with the id of a token. */
  made_by: string
  /** The user whose present rights bound the token; null for one of the command line. */
  maker_id: string | null
  /** The token that made this one. */
  parent_id: string | null
  created_at: number
  used_at: number | null
  used_address: string | null
  revoked_at: number | null
}

/** The answer to a request that carried an idempotency key. */
export interface AdminIdempotencyTable {
  /** Who asked, as an actor of the audit log. */
  caller: string
  key: string
  request_hash: string
  status: number
  body: string
  at: number
}
