import type { Migration } from './migration.ts'

/** The last epoch of a replica that a process has taken, and the epoch up to which no journal has unshipped records. */
export const lives: Migration = {
  id: '0013-lives',
  statements: [
    'ALTER TABLE replica ADD COLUMN lived_epoch BIGINT',
    'ALTER TABLE replica ADD COLUMN settled_epoch BIGINT',
  ],
}
