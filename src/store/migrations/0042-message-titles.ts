import type { Migration } from './migration.ts'

/** The list of messages tells which condition an alert has reported, also when the content is deleted. */
export const messageTitles: Migration = {
  id: '0042-message-titles',
  statements: ['ALTER TABLE outbox ADD COLUMN title TEXT'],
  isAdditive: true,
}
