import type { Migration } from '../migration.ts'

/**
 * Features that cost more or less than plain tokens get prices of their own; an entry tells what was used of them, so
 * that it can be priced again. A price version of before has none yet: the first start fills in what is publicly
 * known. A group says what happens when a feature has no price, and whether requests may name objects of the
 * upstream's account.
 */
export const features: Migration = {
  id: '0011-features',
  statements: [
    'ALTER TABLE price_version ADD COLUMN features TEXT',
    'ALTER TABLE entry ADD COLUMN features TEXT',
    "ALTER TABLE service_group ADD COLUMN unpriced_features TEXT NOT NULL DEFAULT 'refuse'",
    "ALTER TABLE service_group ADD COLUMN shared_objects TEXT NOT NULL DEFAULT 'refuse'",
  ],
}
