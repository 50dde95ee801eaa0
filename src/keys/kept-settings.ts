import type { Nano } from '../core/money.ts'
import {
  asFlag,
  asItIs,
  asList,
  asListOrNull,
  type KeptFor,
  keptLimits,
} from '../store/kept-fields.ts'
import type { ApiKeyTable } from '../store/tables.ts'
import type { KeyValues } from './definition/key.ts'

/** The column that stores each setting of a key. */
export const keptSettings = {
  accountId: asItIs<string, 'account_id'>('account_id'),
  name: asItIs<string, 'name'>('name'),
  groups: asList('groups'),
  models: asListOrNull('models'),
  quotaNano: asItIs<Nano | null, 'quota_nano'>('quota_nano'),
  expiresAt: asItIs<number | null, 'expires_at'>('expires_at'),
  addresses: asListOrNull('addresses'),
  ...keptLimits,
  isEnabled: asFlag('enabled'),
} satisfies KeptFor<KeyValues, ApiKeyTable>
