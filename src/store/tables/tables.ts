import type { Generated } from 'kysely'
import type { AdminIdempotencyTable, AdminTokenTable } from './admin-tables.ts'
import type { AlertTables } from './alert-tables.ts'
import type {
  AuditFindingTable,
  AuditPointTable,
  AuditStateTable,
  AuditStopTable,
} from './audit-tables.ts'
import type { BudgetColumns, BudgetSetColumn, BudgetTables, TotalColumn } from './budget-tables.ts'
import type { ApiKeyTable, FormerKeyOwnerTable, RetiredValueTable } from './key-tables.ts'
import type { LimitColumns, RateCountTable, RateDemandTable } from './limit-tables.ts'
import type { PasskeyTables } from './passkey-tables.ts'
import type { ConsoleUserTable, FormerMemberTable, MembershipTable } from './people-tables.ts'
import type { RecordingTables } from './recording-tables.ts'

/*
 * The tables of both engines. Amounts end in `_nano` and are bigints; every other integer is a number; times are
 * milliseconds since 1970; flags are 0 or 1; lists are JSON text.
 */

export interface AccountTable extends BudgetColumns, TotalColumn, LimitColumns {
  id: string
  name: string
  status: string
  ends_at: number | null
  available_nano: bigint
  /** The limits of a member who joins without own limits. */
  new_member_daily_nano: Generated<bigint | null>
  new_member_weekly_nano: Generated<bigint | null>
  new_member_monthly_nano: Generated<bigint | null>
  new_member_requests_per_minute: Generated<number | null>
  new_member_tokens_per_minute: Generated<number | null>
  new_member_concurrent_requests: Generated<number | null>
  created_at: number
}

export interface ServiceGroupTable extends LimitColumns {
  id: string
  factor_micro: number
  /** `drop` or `reject`: what happens to a field that an upstream does not support. */
  unsupported: Generated<string>
  /** 1: only accounts with a grant may use the group. */
  restricted: Generated<number>
  /** JSON: the fallback models of each model, by its id. */
  fallbacks: Generated<string>
  /** `refuse` or `token_price`: what happens to a feature without a price. */
  unpriced_features: Generated<string>
  /** `refuse` or `allow`: requests that name objects of the upstream's account. */
  shared_objects: Generated<string>
  /** `high`, `normal` or `low`: the order in which requests wait for an upstream. */
  priority: Generated<string>
  created_at: number
}

export interface GroupGrantTable {
  group_id: string
  account_id: string
  ends_at: number | null
}

export interface ModelTable extends LimitColumns {
  id: string
  display_name: string
  owned_by: string
  context_tokens: number | null
  max_output_tokens: number
  created_at: number
}

export interface PriceVersionTable {
  id: string
  model_id: string
  valid_from: number
  input_nano: bigint
  cache_read_nano: bigint
  cache_write_5m_nano: bigint
  cache_write_1h_nano: bigint
  output_nano: bigint
  request_nano: bigint
  /** JSON: the price of each feature; null in a version from before features had prices. */
  features: string | null
  /** JSON: token prices for long prompts; null when the length of the prompt does not matter. */
  tiers: string | null
}

export interface UpstreamTable {
  id: string
  vendor: string
  protocol: string
  base_url: string
  /** The first credential, for processes of version 0.1; see `upstream_credential`. */
  credential_sealed: string | null
  /** JSON: the settings that differ from their defaults; see `upstream-options.ts` of the catalogue. */
  settings: Generated<string>
  proxy_sealed: string | null
  enabled: Generated<number>
  created_at: number
}

export interface UpstreamCredentialTable extends LimitColumns {
  id: string
  upstream_id: string
  name: string
  value_sealed: string
  /** The part of the value that may be displayed; empty when the credential was never entered in this version. */
  hint: string
  /** A URL at the host that the credential was entered for; the credential is sent to no other host. */
  origin: string
  enabled: number
  created_at: number
}

export interface RouteTable {
  group_id: string
  model_id: string
  upstream_id: string
  upstream_model: string
  priority: number
  weight: number
  /** JSON: rules for parameters. */
  parameters: string | null
}

export interface CreditTable {
  id: string
  account_id: string
  /** Negative for a correction. */
  amount_nano: bigint
  source: string
  external_id: string
  reason: string
  created_at: number
  /** The credit that this one reverses in full; null for other credits. */
  reverses: Generated<string | null>
}

export interface LeaseTable extends BudgetSetColumn {
  id: string
  replica: string
  epoch: number
  account_id: string
  key_id: string
  granted_nano: bigint
  used_nano: bigint
  version: number
  created_at: number
  reclaim_at: number
}

export interface EntryTable extends BudgetSetColumn {
  request_id: string
  account_id: string
  key_id: string
  lease_id: string
  price_version_id: string
  factor_micro: number
  cost_nano: bigint
  input_tokens: number
  cache_read_tokens: number
  cache_write_5m_tokens: number
  cache_write_1h_tokens: number
  output_tokens: number
  reasoning_tokens: number
  usage_source: string
  flags: string
  /** JSON: the billed features that were used; null for a request without any. */
  features: string | null
}

export interface UncoveredTable {
  request_id: string
  uncovered_nano: bigint
}

export interface UsageRowTable {
  request_id: string
  at: number
  account_id: string
  key_id: string
  model: string | null
  protocol: string
  group_id: string | null
  stream: number
  status: number
  reason: string | null
  cost_nano: bigint
  first_token_ms: number | null
  total_ms: number
  client_address: string
  client_request_id: string | null
  upstream_id: string | null
  upstream_request_id: string | null
  warnings: string | null
  /** Of the only attempt, if it succeeded; it has no row of its own then. */
  credential: string | null
  note: string | null
  first_byte_ms: number | null
  /** How long the request waited for a free place at an upstream; null if it did not wait. */
  queued_ms: number | null
}

export interface AttemptTable {
  request_id: string
  ordinal: number
  upstream_id: string
  status: number | null
  reason: string | null
  first_byte_ms: number | null
  total_ms: number
  credential: string | null
  note: string | null
}

/** Sums over the requests of one hour; an absent value is the empty text here. */
export interface UsageHourTable {
  account_id: string
  hour: number
  key_id: string
  model: string
  group_id: string
  protocol: string
  requests: number
  errors: number
  input_tokens: number
  cache_read_tokens: number
  cache_write_5m_tokens: number
  cache_write_1h_tokens: number
  output_tokens: number
  reasoning_tokens: number
  cost_nano: bigint
  /** Number of requests with a first token, and the sum of their times. */
  first_tokens: number
  first_token_ms: number
  total_ms: number
}

/**
 * Sums over all requests of an hour or a day. If the rows were already deleted when these sums were introduced,
 * `stream` is -1 and `status` is 0.
 */
export interface UsageTotalTable extends Omit<UsageHourTable, 'account_id' | 'hour' | 'key_id'> {
  /** `hour` or `day`. */
  span: string
  /** Start of the span. */
  at: number
  stream: number
  status: number
  /** 1: the request has a failure reason. */
  failed: number
}

export interface AuditTable {
  seq: Generated<number>
  at: number
  actor: string
  action: string
  subject: string
  before: string | null
  after: string | null
}

export interface SessionTable {
  token_hash: string
  user_id: string
  created_at: number
  expires_at: number
  /** When the user last authenticated. */
  authenticated_at: Generated<number>
  seen_at: Generated<number>
  address: string | null
  agent: string | null
}

export interface SignInLinkTable {
  token_hash: string
  user_id: string
  expires_at: number
  /** The actor who got the link. */
  made_by: string | null
}

export interface StoredResponseTable {
  id: string
  key_id: string
  model: string
  upstream_id: string | null
  /** Of the upstream's credential; null for responses from before this column existed. */
  credential_name: string | null
  content_sealed: string | null
  /** Input and output tokens of the turn; null when unknown. */
  turn_tokens: number | null
  created_at: number
  expires_at: number
}

export interface ReplicaTable {
  id: string
  epoch: number
  seen_at: number
  /** The last epoch that a process has taken; other epochs are only ended. Null when an earlier version took it. */
  lived_epoch: number | null
  /** The journals of all lives up to this epoch are settled. */
  settled_epoch: number | null
}

export interface FactTable {
  name: string
  value: string
}

export interface ChangeTable {
  seq: Generated<number>
  topic: string
  subject: string
  at: number
}

export interface Tables extends BudgetTables, AlertTables, PasskeyTables, RecordingTables {
  account: AccountTable
  console_user: ConsoleUserTable
  membership: MembershipTable
  former_member: FormerMemberTable
  service_group: ServiceGroupTable
  group_grant: GroupGrantTable
  model: ModelTable
  price_version: PriceVersionTable
  upstream: UpstreamTable
  upstream_credential: UpstreamCredentialTable
  route: RouteTable
  api_key: ApiKeyTable
  former_key_owner: FormerKeyOwnerTable
  retired_value: RetiredValueTable
  credit: CreditTable
  lease: LeaseTable
  entry: EntryTable
  uncovered: UncoveredTable
  usage_row: UsageRowTable
  attempt: AttemptTable
  usage_hour: UsageHourTable
  usage_total: UsageTotalTable
  audit: AuditTable
  session: SessionTable
  sign_in_link: SignInLinkTable
  stored_response: StoredResponseTable
  replica: ReplicaTable
  rate_demand: RateDemandTable
  rate_count: RateCountTable
  fact: FactTable
  audit_state: AuditStateTable
  audit_point: AuditPointTable
  audit_stop: AuditStopTable
  audit_finding: AuditFindingTable
  change: ChangeTable
  admin_token: AdminTokenTable
  admin_idempotency: AdminIdempotencyTable
}
