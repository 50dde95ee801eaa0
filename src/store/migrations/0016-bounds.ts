import type { Migration } from '../migration.ts'

/**
 * A response that an upstream keeps is noted with the tokens of its turn, which bound what the next turn begins with.
 * Of one that was noted before nobody knows. A price version may have prices for long prompts; one of before has none,
 * so that its entries cost what they have cost.
 */
export const bounds: Migration = {
  id: '0016-bounds',
  statements: [
    'ALTER TABLE stored_response ADD COLUMN turn_tokens BIGINT',
    'ALTER TABLE price_version ADD COLUMN tiers TEXT',
  ],
}
