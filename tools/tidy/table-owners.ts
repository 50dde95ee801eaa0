/** The module that writes each table; every module may read. */
export const tableOwners: Readonly<Record<string, string>> = {
  account: 'accounts',
  console_user: 'accounts',
  membership: 'accounts',
  former_member: 'accounts',
  session: 'accounts',
  sign_in_link: 'accounts',
  passkey: 'accounts',
  passkey_challenge: 'accounts',
  admin_token: 'admin-tokens',
  api_key: 'keys',
  former_key_owner: 'keys',
  retired_value: 'keys',
  service_group: 'catalog',
  group_grant: 'catalog',
  model: 'catalog',
  price_version: 'catalog',
  upstream: 'catalog',
  upstream_credential: 'catalog',
  route: 'catalog',
  credit: 'ledger',
  lease: 'ledger',
  entry: 'ledger',
  uncovered: 'ledger',
  replica: 'ledger',
  budget_counter: 'ledger',
  budget_set: 'ledger',
  budget_crossing: 'ledger',
  uncounted_cost: 'ledger',
  audit_state: 'ledger',
  audit_point: 'ledger',
  audit_stop: 'ledger',
  audit_finding: 'ledger',
  usage_row: 'usage',
  attempt: 'usage',
  usage_hour: 'usage',
  usage_total: 'usage',
  rate_demand: 'limits',
  rate_count: 'limits',
  stored_response: 'conversations',
  recording: 'recording',
  recording_policy: 'recording',
  recording_erasure: 'recording',
  outbox: 'outbox',
  alert: 'alerts',
  alert_crossing: 'alerts',
  alert_sighting: 'alerts',
  audit: 'store',
  fact: 'store',
  change: 'store',
  admin_idempotency: 'store',
  migration: 'store',
  // A table of SQLite itself, which has the next number of other tables.
  sqlite_sequence: 'store',
}

/** The columns of other owners' tables that a module changes: the ledger moves the money of accounts and keys. */
export const foreignColumns: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =
  {
    ledger: {
      account: ['available_nano'],
      api_key: ['available_nano', 'spent_nano'],
    },
  }

/** The files in which the name of a written table is a variable, with all names that it can have. */
export const variableTables: Readonly<Record<string, readonly string[]>> = {
  'src/usage/sweep-usage.ts': ['attempt', 'usage_row'],
}
