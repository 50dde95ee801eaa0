import type { Migration } from './migration.ts'

/** Priorities of keys and groups, and how long a request waited for an upstream. */
export const prioritiesAndQueue: Migration = {
  id: '0029-priorities',
  isAdditive: true,
  statements: [
    'ALTER TABLE api_key ADD COLUMN priority TEXT',
    "ALTER TABLE service_group ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal'",
    'ALTER TABLE usage_row ADD COLUMN queued_ms BIGINT',
  ],
}
