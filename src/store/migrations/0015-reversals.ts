import type { Migration } from '../migration.ts'

/** A credit that reverses another names it; each is reversed once. */
export const reversals: Migration = {
  id: '0015-reversals',
  statements: [
    'ALTER TABLE credit ADD COLUMN reverses TEXT',
    'CREATE UNIQUE INDEX credit_reverses ON credit (reverses)',
  ],
}
