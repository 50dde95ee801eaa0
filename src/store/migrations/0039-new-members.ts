import type { Migration } from './migration.ts'

const newMemberColumns = [
  'daily_nano',
  'weekly_nano',
  'monthly_nano',
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_requests',
]

/**
 * The limits of an account's new members, and when an invitation was given last. An unused link that is still known was made with it, seven days before its end.
 * Null for an invitation by an earlier version: the login was created with it, unless it was repeated.
 */
export const newMembers: Migration = {
  id: '0039-new-members',
  isAdditive: true,
  statements: [
    'ALTER TABLE console_user ADD COLUMN invited_at BIGINT',
    `UPDATE console_user SET invited_at = (SELECT MAX(expires_at) - 604800000 FROM sign_in_link l
      WHERE l.user_id = console_user.id AND l.expires_at - 604800000 >= console_user.created_at)
      WHERE invited_to IS NOT NULL`,
    ...newMemberColumns.map((name) => `ALTER TABLE account ADD COLUMN new_member_${name} BIGINT`),
  ],
}
