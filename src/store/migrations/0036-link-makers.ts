import type { Migration } from './migration.ts'

/**
 * Who got a link that signs a person in: an actor of the audit log. Null for links of a former version, and for links
 * that the gateway sends only to the person.
 */
export const linkMakers: Migration = {
  id: '0036-link-makers',
  isAdditive: true,
  statements: ['ALTER TABLE sign_in_link ADD COLUMN made_by TEXT'],
}
