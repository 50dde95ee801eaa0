import type { Migration } from './migration.ts'

/**
 * When an invitation was given last. An unused link that is still known was made with it, seven days before its end.
 * Null for an invitation by an earlier version: the login was created with it, unless it was repeated.
 */
export const invitationTimes: Migration = {
  id: '0039-invitation-times',
  isAdditive: true,
  statements: [
    'ALTER TABLE console_user ADD COLUMN invited_at BIGINT',
    `UPDATE console_user SET invited_at = (SELECT MAX(expires_at) - 604800000 FROM sign_in_link l
      WHERE l.user_id = console_user.id AND l.expires_at - 604800000 >= console_user.created_at)
      WHERE invited_to IS NOT NULL`,
  ],
}
