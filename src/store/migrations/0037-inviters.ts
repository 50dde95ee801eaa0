import type { Migration } from './migration.ts'

/**
 * Who gave an invitation: an actor of the audit log. The unused links name the inviters of the invitations that wait.
 * Null for older invitations.
 */
export const inviters: Migration = {
  id: '0037-inviters',
  isAdditive: true,
  statements: [
    'ALTER TABLE console_user ADD COLUMN invited_by TEXT',
    `UPDATE console_user SET invited_by = (SELECT MAX(made_by) FROM sign_in_link l WHERE l.user_id = console_user.id)
      WHERE invited_to IS NOT NULL`,
  ],
}
