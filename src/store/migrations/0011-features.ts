import type { Migration } from './migration.ts'

/**
 * Features that cost more or less than plain tokens get their own prices. An entry records the features used, so that
 * its cost can be computed again. Existing price versions have no feature prices; the first start fills in the publicly
 * known ones. A group decides what happens when a feature has no price, and whether requests may name objects of the
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
