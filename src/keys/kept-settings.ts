import type { Selectable } from 'kysely'
import type { Nano } from '../core/money.ts'
import { keptPeriods } from '../store/kept-budgets.ts'
import { asFlag, asItIs, asList, asListOrNull, type KeptFor } from '../store/kept-fields.ts'
import type { ApiKeyTable } from '../store/key-tables.ts'
import type { KeyValues } from './definition/key.ts'

/** The column that stores each setting of a key. */
export const keptSettings = {
  accountId: asItIs<string, 'account_id'>('account_id'),
  ownerId: asItIs<string | null, 'owner_user_id'>('owner_user_id'),
  name: asItIs<string, 'name'>('name'),
  groups: asList('groups'),
  models: asListOrNull('models'),
  quotaNano: asItIs<Nano | null, 'quota_nano'>('quota_nano'),
  ...keptPeriods,
  expiresAt: asItIs<number | null, 'expires_at'>('expires_at'),
  addresses: asListOrNull('addresses'),
  isEnabled: asFlag('enabled'),
  isLocked: asFlag('locked'),
} satisfies KeptFor<KeyValues, Selectable<ApiKeyTable>>
