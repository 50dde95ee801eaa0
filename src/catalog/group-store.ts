import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import { insertAll } from '../store/rows/in-slices.ts'
import { hasValues, rowOf, valuesOf } from '../store/rows/stored-fields.ts'
import type { CatalogDeps, PutResult } from './catalog-store.ts'
import { type GivenGroup, type Grant, groupDefinition } from './definition/group.ts'
import { groupColumns } from './setting-columns.ts'

/** Creates or updates a group without its grants. */
export async function putGroup(
  { tx, announce }: Writing,
  deps: CatalogDeps,
  group: Omit<GivenGroup, 'grants'>,
): Promise<PutResult> {
  const row = await tx
    .selectFrom('service_group')
    .selectAll()
    .where('id', '=', group.id)
    .executeTakeFirst()
  const settings = complete(groupDefinition, group, row && valuesOf(groupColumns, row))
  if (row && hasValues(groupColumns, row, settings)) return 'same'
  const columns = rowOf(groupColumns, settings)
  await tx
    .insertInto('service_group')
    .values({ id: group.id, ...columns, created_at: deps.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
  announce('catalog', group.id)
  return row ? 'changed' : 'created'
}

/** Replaces the accounts that may use a group; null allows every account. */
export async function putGrants(
  { tx, announce }: Writing,
  groupId: string,
  grants: readonly Grant[] | null,
): Promise<PutResult> {
  const group = await tx
    .selectFrom('service_group')
    .select('restricted')
    .where('id', '=', groupId)
    .executeTakeFirst()
  const rows = await tx
    .selectFrom('group_grant')
    .selectAll()
    .where('group_id', '=', groupId)
    .execute()
  const restricted = grants === null ? 0 : 1
  const wanted = (grants ?? []).map(({ accountId, until }) => ({
    group_id: groupId,
    account_id: accountId,
    ends_at: until,
  }))
  const found = new Map(rows.map((row) => [row.account_id, row.ends_at]))
  const isSame =
    group?.restricted === restricted &&
    found.size === wanted.length &&
    wanted.every((each) => found.get(each.account_id) === each.ends_at)
  if (isSame) return 'same'
  await tx.updateTable('service_group').set({ restricted }).where('id', '=', groupId).execute()
  await tx.deleteFrom('group_grant').where('group_id', '=', groupId).execute()
  await insertAll(wanted, (some) => tx.insertInto('group_grant').values(some).execute())
  announce('catalog', groupId)
  return 'changed'
}

export async function removeGroup({ tx, announce }: Writing, groupId: string): Promise<void> {
  await tx.deleteFrom('group_grant').where('group_id', '=', groupId).execute()
  await tx.deleteFrom('service_group').where('id', '=', groupId).execute()
  announce('catalog', groupId)
}
