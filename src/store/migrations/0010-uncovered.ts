import type { Migration } from '../migration.ts'

/** What a request used and nobody was charged, because there was no money for it. Few requests have a row. */
export const uncovered: Migration = {
  id: '0010-uncovered',
  statements: [
    `CREATE TABLE uncovered (
      request_id TEXT PRIMARY KEY, uncovered_nano BIGINT NOT NULL) $compact`,
  ],
}
