import type { Writing } from '../store/changes/write.ts'

/** Deletes the stored responses of a key whose next holder must not read them. */
export async function deleteResponses({ tx }: Writing, keyId: string): Promise<void> {
  await tx.deleteFrom('stored_response').where('key_id', '=', keyId).execute()
}
