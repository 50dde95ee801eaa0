import type { Engine } from '../../store/engine.ts'
import { keyOwners } from '../../store/migrations/0021-key-owners.ts'

/** Notes for the operator about the migrations that were applied just now. */
export async function migrationNotes(
  { db }: Engine,
  migrated: readonly string[],
): Promise<readonly string[]> {
  if (!migrated.includes(keyOwners.id)) return []
  const row = await db
    .selectFrom('api_key')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const count = Number(row?.count ?? 0)
  if (count === 0) return []
  const keys =
    count === 1
      ? '1 existing key is now a service key'
      : `${count} existing keys are now service keys`
  return [
    `Keys belong to users now. ${keys} of the account: only owners of the account see and manage service keys. See docs/keys.md.`,
  ]
}
