import type { Generated } from 'kysely'
import type { BudgetColumns } from './budget-tables.ts'
import type { LimitColumns } from './limit-tables.ts'

/**
 * The table also has `search_text`, the name and hint in lower case, which the database generates and only the search
 * reads.
 */
export interface ApiKeyTable extends BudgetColumns, LimitColumns {
  id: string
  account_id: string
  name: string
  value_hash: string
  value_sealed: string
  value_hint: string
  imported: number
  groups: string
  models: string | null
  addresses: string | null
  quota_nano: bigint | null
  available_nano: bigint | null
  spent_nano: bigint
  expires_at: number | null
  /** JSON: the rate limits for single models. */
  model_limits: string | null
  enabled: number
  created_at: number
  /** A deleted key has no value and appears in no list; the log still shows its name. */
  deleted_at: number | null
  /** The user that the key belongs to; null for a service key. The user may be deleted. */
  owner_user_id: string | null
  /** 1 once the owner has left the account: the key has lost its value. */
  stopped: Generated<number>
  /** 1: the user of the key cannot change the settings. */
  locked: Generated<number>
  /** `high`, `normal` or `low`; null: the priority of the group. */
  priority: string | null
}

/** The former owner of a key that is a service key now. What was spent until then counts for the owner. */
export interface FormerKeyOwnerTable {
  key_id: string
  account_id: string
  user_id: string
  /** When the key became a service key. */
  until_at: number
  /** What the key had ever spent by then. */
  spent_nano: bigint
  /** The ids of the requests in the hour of `until_at`, before that moment, are within these. */
  hour_id: string
  until_id: string
}

/** Values of keys whose owners left. No key may have one of them again. */
export interface RetiredValueTable {
  value_hash: string
  key_id: string
}
