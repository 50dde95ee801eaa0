/** A token of the admin API; see `admin-tokens`. */
export interface AdminTokenTable {
  id: string
  name: string
  value_hash: string
  /** The part of the value that may be displayed. */
  value_hint: string
  /** JSON list of scopes. */
  scopes: string
  /** Null means the whole gateway. */
  account_id: string | null
  /** JSON list of addresses and networks; null means any address. */
  addresses: string | null
  expires_at: number | null
  /** An actor of the audit log: a user, `cli`, or `token:` with the id of a token. */
  made_by: string
  /** The user whose current rights limit the token; null for a token of the command line. */
  maker_id: string | null
  /** The token that created this one. */
  parent_id: string | null
  created_at: number
  used_at: number | null
  used_address: string | null
  revoked_at: number | null
}

/** The answer to a request with an idempotency key. */
export interface AdminIdempotencyTable {
  /** The caller, as an actor of the audit log. */
  caller: string
  key: string
  request_hash: string
  status: number
  body: string
  at: number
}
