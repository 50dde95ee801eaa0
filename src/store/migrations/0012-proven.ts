import type { Migration } from './migration.ts'

/**
 * The invitation that created a login: written in the same transaction, so in the same millisecond, by a user who is
 * not an administrator. A migration does not change, so the condition is defined here and nowhere else.
 */
const madeByOwner = `a.action = 'member.added' AND a.at = console_user.created_at
  AND a.after LIKE '%"userId":"' || console_user.id || '"%'
  AND NOT EXISTS (SELECT 1 FROM console_user o WHERE o.id = a.actor AND o.role = 'admin')`

const cameByInvitation = `EXISTS (SELECT 1 FROM audit a WHERE ${madeByOwner})`
/** Administrators and users known to the identity provider are verified, but an inviter may still know their password. */
const provenLater = `(role = 'admin' OR open_id IS NOT NULL) AND ${cameByInvitation}`

/** Who vouches for the address of a login. Decision 32 describes how existing logins are treated. */
export const proven: Migration = {
  id: '0012-proven',
  statements: [
    'ALTER TABLE console_user ADD COLUMN invited_email TEXT',
    'ALTER TABLE console_user ADD COLUMN invited_to TEXT',
    'ALTER TABLE console_user ADD COLUMN proof TEXT',
    'ALTER TABLE console_user ADD COLUMN proven_at BIGINT',
    'CREATE UNIQUE INDEX console_user_invited ON console_user (invited_email, invited_to)',
    `UPDATE console_user SET invited_to = (SELECT MIN(a.subject) FROM audit a WHERE ${madeByOwner})
      WHERE role <> 'admin' AND open_id IS NULL`,
    'UPDATE console_user SET invited_email = email WHERE invited_to IS NOT NULL',
    `DELETE FROM session WHERE user_id IN (SELECT id FROM console_user WHERE ${provenLater})`,
    `DELETE FROM sign_in_link WHERE user_id IN (SELECT id FROM console_user
      WHERE invited_to IS NOT NULL OR (${provenLater}))`,
    `UPDATE console_user SET password_hash = NULL, totp_sealed = NULL, totp_wanted_sealed = NULL,
      recovery_hashes = '[]' WHERE ${provenLater}`,
    `UPDATE console_user SET proven_at = created_at,
      proof = CASE WHEN open_id IS NULL THEN 'operator' ELSE 'open-id' END
      WHERE invited_to IS NULL`,
  ],
}
