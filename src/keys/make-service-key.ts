import { sql } from 'kysely'
import { type RandomBytes, requestIdsBetween } from '../core/id.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { rotateKeyValue } from './replace-key-value.ts'
import { retireValue } from './retired-value.ts'

const hourMs = 3_600_000

/** Turns the key of a former member into a service key with a new value, and returns the new value. */
export async function makeServiceKey(
  writing: Writing,
  deps: { readonly vault: Vault; readonly random: RandomBytes },
  id: string,
): Promise<string> {
  await retirePresent(writing, id)
  await keepOwner(writing, id)
  const value = await rotateKeyValue(writing, deps, id)
  await writing.tx
    .updateTable('api_key')
    .set({ owner_user_id: null })
    .where('id', '=', id)
    .execute()
  return value
}

/** What was spent with the key until now still counts for its owner. */
async function keepOwner({ tx, nowMs }: Writing, id: string): Promise<void> {
  const [hourId, untilId] = requestIdsBetween(nowMs - (nowMs % hourMs), nowMs)
  await sql`INSERT INTO former_key_owner
      (key_id, account_id, user_id, until_at, spent_nano, hour_id, until_id)
    SELECT k.id, k.account_id, k.owner_user_id, CAST(${nowMs} AS BIGINT),
      CAST(k.spent_nano + COALESCE((SELECT SUM(l.used_nano) FROM lease l WHERE l.key_id = k.id), 0) AS BIGINT),
      CAST(${hourId} AS TEXT), CAST(${untilId} AS TEXT)
    FROM api_key k WHERE k.id = ${id} AND k.owner_user_id IS NOT NULL`.execute(tx)
}

/** The key of a suspended user still has its value. */
async function retirePresent(writing: Writing, id: string): Promise<void> {
  const key = await writing.tx
    .selectFrom('api_key')
    .select(['id', 'value_hash'])
    .where('id', '=', id)
    .where('stopped', '=', 0)
    .executeTakeFirst()
  if (key) await retireValue(writing, key)
}
