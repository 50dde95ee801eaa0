import type { Migration } from '../migration.ts'

/** A response that an upstream keeps belongs to the organisation of the credential that it was made with. */
export const storedCredential: Migration = {
  id: '0008-stored-credential',
  statements: ['ALTER TABLE stored_response ADD COLUMN credential_name TEXT'],
}
