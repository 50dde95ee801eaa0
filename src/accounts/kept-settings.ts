import { asItIs, type Kept, type KeptFor } from '../store/kept-fields.ts'
import type { AccountTable } from '../store/tables.ts'
import type { AccountSettings, AccountStatus } from './definition/account.ts'

/** Any word but "active" suspends: a state that this version does not know is not a licence to spend. */
const status: Kept<AccountStatus, 'status', string> = {
  column: 'status',
  write: (word) => word,
  read: (word) => (word === 'active' ? 'active' : 'suspended'),
}

/** Where each setting of an account is kept. */
export const keptSettings = {
  id: asItIs<string, 'id'>('id'),
  name: asItIs<string, 'name'>('name'),
  status,
  endsAt: asItIs<number | null, 'ends_at'>('ends_at'),
} satisfies KeptFor<AccountSettings, AccountTable>
