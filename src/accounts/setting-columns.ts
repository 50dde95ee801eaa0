import type { Selectable } from 'kysely'
import type { Nano } from '../core/money/money.ts'
import { periodColumns, totalColumn } from '../store/rows/budget-columns.ts'
import {
  asIs,
  limitColumns,
  type StoredField,
  type StoredFieldsFor,
} from '../store/rows/stored-fields.ts'
import type { AccountTable } from '../store/tables/tables.ts'
import type { AccountSettings, AccountStatus } from './definition/account.ts'

/** Every value except "active" suspends the account: an unknown state of another version must not permit spending. */
const status: StoredField<AccountStatus, 'status', string> = {
  column: 'status',
  write: (word) => word,
  read: (word) => (word === 'active' ? 'active' : 'suspended'),
}

/** The column that stores each setting of an account. */
export const settingColumns = {
  id: asIs<string, 'id'>('id'),
  name: asIs<string, 'name'>('name'),
  status,
  endsAt: asIs<number | null, 'ends_at'>('ends_at'),
  ...totalColumn,
  ...periodColumns,
  ...limitColumns,
  newMemberDailyNano: asIs<Nano | null, 'new_member_daily_nano'>('new_member_daily_nano'),
  newMemberWeeklyNano: asIs<Nano | null, 'new_member_weekly_nano'>('new_member_weekly_nano'),
  newMemberMonthlyNano: asIs<Nano | null, 'new_member_monthly_nano'>('new_member_monthly_nano'),
  newMemberRequestsPerMinute: asIs<number | null, 'new_member_requests_per_minute'>(
    'new_member_requests_per_minute',
  ),
  newMemberTokensPerMinute: asIs<number | null, 'new_member_tokens_per_minute'>(
    'new_member_tokens_per_minute',
  ),
  newMemberConcurrentRequests: asIs<number | null, 'new_member_concurrent_requests'>(
    'new_member_concurrent_requests',
  ),
} satisfies StoredFieldsFor<AccountSettings, Selectable<AccountTable>>
