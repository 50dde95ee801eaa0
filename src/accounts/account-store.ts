import type { Writing } from '../store/write.ts'

export interface AccountSettings {
  readonly id: string
  readonly name: string
}

/** Makes the account, or renames it when it is there: applying the same settings twice changes nothing. */
export async function putAccount(
  { tx, announce }: Writing,
  nowMs: number,
  settings: AccountSettings,
): Promise<'created' | 'changed' | 'same'> {
  const row = await tx
    .selectFrom('account')
    .select('name')
    .where('id', '=', settings.id)
    .executeTakeFirst()
  if (row?.name === settings.name) return 'same'
  if (row) {
    await tx
      .updateTable('account')
      .set({ name: settings.name })
      .where('id', '=', settings.id)
      .execute()
  } else {
    await tx
      .insertInto('account')
      .values({
        ...settings,
        status: 'active',
        ends_at: null,
        available_nano: 0n,
        created_at: nowMs,
      })
      .execute()
  }
  announce('account', settings.id)
  return row ? 'changed' : 'created'
}

export type AccountStatus = 'active' | 'suspended'

export async function setAccountStatus(
  { tx, announce }: Writing,
  id: string,
  change: { status?: AccountStatus; endsAtMs?: number | null },
): Promise<boolean> {
  const result = await tx
    .updateTable('account')
    .set({
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.endsAtMs === undefined ? {} : { ends_at: change.endsAtMs }),
    })
    .where('id', '=', id)
    .executeTakeFirst()
  announce('account', id)
  return result.numUpdatedRows > 0n
}
