import type { Migration } from './migration.ts'

/** The part of a cost that was not charged because there was no money. Few requests have a row. */
export const uncovered: Migration = {
  id: '0010-uncovered',
  statements: [
    `CREATE TABLE uncovered (
      request_id TEXT PRIMARY KEY, uncovered_nano BIGINT NOT NULL) $compact`,
  ],
}
