import type { Migration } from './migration.ts'

/** A reversal names the credit that it reverses; each credit can be reversed once. */
export const reversals: Migration = {
  id: '0015-reversals',
  statements: [
    'ALTER TABLE credit ADD COLUMN reverses TEXT',
    'CREATE UNIQUE INDEX credit_reverses ON credit (reverses)',
  ],
}
