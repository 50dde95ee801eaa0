import type { Writing } from '../store/changes/write.ts'
import { retireValue } from './retired-value.ts'

interface KeysOfUser {
  readonly userId: string
  /** Undefined: in every account. */
  readonly accountId?: string
}

/**
 * Takes the values away from the keys of a user who leaves an account. The values are retired: no key can ever have one
 * of them again. The keys stay in the list of the account, so that an owner of the account can convert or delete them.
 */
export async function stopKeys(writing: Writing, of: KeysOfUser): Promise<void> {
  const { tx, announce } = writing
  for (const key of await valuesOf(writing, of)) {
    const { id } = key
    await retireValue(writing, key)
    await tx
      .updateTable('api_key')
      .set({
        stopped: 1,
        value_hash: `stopped ${id}`,
        value_sealed: '',
        value_hint: '',
        imported: 0,
      })
      .where('id', '=', id)
      .execute()
    announce('key', id)
  }
}

/** Tells every process to check again whether the owner of these keys may use them. */
export async function announceKeys(writing: Writing, of: KeysOfUser): Promise<void> {
  for (const { id } of await valuesOf(writing, of)) writing.announce('key', id)
}

/**
 * Removes the readable copies of the values. The keys keep working. Called before another person gets a way to sign in
 * as the user: only the user may see the values.
 */
export async function forgetValues(writing: Writing, userId: string): Promise<void> {
  await writing.tx
    .updateTable('api_key')
    .set({ value_sealed: '' })
    .where('owner_user_id', '=', userId)
    .execute()
}

/**
 * Gives the keys of one login to another login of the same person, without their values: the person who invited the
 * first login may know them.
 */
export async function handOverKeys(
  writing: Writing,
  { fromUserId, toUserId }: { readonly fromUserId: string; readonly toUserId: string },
): Promise<void> {
  await stopKeys(writing, { userId: fromUserId })
  await writing.tx
    .updateTable('api_key')
    .set({ owner_user_id: toUserId })
    .where('owner_user_id', '=', fromUserId)
    .execute()
  await writing.tx
    .updateTable('former_key_owner')
    .set({ user_id: toUserId })
    .where('user_id', '=', fromUserId)
    .execute()
}

/** The keys that have a value. */
function valuesOf({ tx }: Writing, { userId, accountId }: KeysOfUser) {
  const query = tx
    .selectFrom('api_key')
    .select(['id', 'value_hash'])
    .where('owner_user_id', '=', userId)
    .where('stopped', '=', 0)
    .where('deleted_at', 'is', null)
  return (accountId === undefined ? query : query.where('account_id', '=', accountId)).execute()
}
