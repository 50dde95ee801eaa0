import type { Migration } from '../migration.ts'

/** Which epoch of a replica was last taken by a process, and up to which one nothing is left in any journal. */
export const lives: Migration = {
  id: '0013-lives',
  statements: [
    'ALTER TABLE replica ADD COLUMN lived_epoch BIGINT',
    'ALTER TABLE replica ADD COLUMN settled_epoch BIGINT',
  ],
}
