import type { Migration } from './migration.ts'

/** A response that an upstream stores belongs to the organisation of the credential that created it. */
export const storedCredential: Migration = {
  id: '0008-stored-credential',
  statements: ['ALTER TABLE stored_response ADD COLUMN credential_name TEXT'],
}
