import type { Migration } from './migration.ts'

/** The language of the texts of an alert. */
export const alertLanguage: Migration = {
  id: '0032-alert-language',
  statements: ["ALTER TABLE alert ADD COLUMN language TEXT NOT NULL DEFAULT 'en'"],
  isAdditive: true,
}
