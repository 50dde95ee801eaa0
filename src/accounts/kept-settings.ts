import type { Selectable } from 'kysely'
import { keptPeriods, keptTotal } from '../store/kept-budgets.ts'
import { asItIs, type Kept, type KeptFor, keptLimits } from '../store/kept-fields.ts'
import type { AccountTable } from '../store/tables.ts'
import type { AccountSettings, AccountStatus } from './definition/account.ts'

/** Every value except "active" suspends the account: an unknown state of another version must not permit spending. */
const status: Kept<AccountStatus, 'status', string> = {
  column: 'status',
  write: (word) => word,
  read: (word) => (word === 'active' ? 'active' : 'suspended'),
}

/** The column that stores each setting of an account. */
export const keptSettings = {
  id: asItIs<string, 'id'>('id'),
  name: asItIs<string, 'name'>('name'),
  status,
  endsAt: asItIs<number | null, 'ends_at'>('ends_at'),
  ...keptTotal,
  ...keptPeriods,
  ...keptLimits,
} satisfies KeptFor<AccountSettings, Selectable<AccountTable>>
