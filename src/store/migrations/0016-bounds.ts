import type { Migration } from './migration.ts'

/**
 * A response stored by an upstream is recorded with the tokens of its turn, which bound the input of the next turn. For
 * earlier responses the number is unknown. A price version may have prices for long prompts; existing versions have
 * none, so that their entries keep their cost.
 */
export const bounds: Migration = {
  id: '0016-bounds',
  statements: [
    'ALTER TABLE stored_response ADD COLUMN turn_tokens BIGINT',
    'ALTER TABLE price_version ADD COLUMN tiers TEXT',
  ],
}
