import type { Migration } from './migration.ts'

/**
 * Who decides about a membership, and who created a user: `manual` for people, the file and commands, `open-id` for the
 * identity provider. Everything that exists was set by hand.
 */
export const openIdMembers: Migration = {
  id: '0026-open-id-members',
  isAdditive: true,
  statements: [
    `ALTER TABLE membership ADD COLUMN source TEXT NOT NULL DEFAULT 'manual'`,
    `ALTER TABLE console_user ADD COLUMN source TEXT NOT NULL DEFAULT 'manual'`,
  ],
}
