import type { Writing } from '../store/write.ts'
import type { CatalogTools, PutResult } from './catalog-store.ts'

/** What happens to a request for a feature that has no price. */
export type UnpricedFeatures = 'refuse' | 'token_price'
/** What happens to a request that names an object of the upstream's account. */
export type SharedObjects = 'refuse' | 'allow'

export interface GroupSettings {
  readonly id: string
  readonly factorMicro: bigint
  readonly isStrict?: boolean
  /** Undefined leaves it as it is. */
  readonly unpricedFeatures?: UnpricedFeatures | undefined
  /** Undefined leaves it as it is. */
  readonly sharedObjects?: SharedObjects | undefined
  /** The models that stand in for one, by its id; undefined leaves those that are there. */
  readonly fallbacks?: Readonly<Record<string, readonly string[]>> | undefined
}

export async function putGroup(
  { tx, announce }: Writing,
  tools: CatalogTools,
  group: GroupSettings,
): Promise<PutResult> {
  const row = await tx
    .selectFrom('service_group')
    .select(['factor_micro', 'unsupported', 'fallbacks', 'unpriced_features', 'shared_objects'])
    .where('id', '=', group.id)
    .executeTakeFirst()
  const columns = {
    factor_micro: Number(group.factorMicro),
    unsupported: group.isStrict === true ? 'reject' : 'drop',
    unpriced_features: group.unpricedFeatures ?? row?.unpriced_features ?? 'refuse',
    shared_objects: group.sharedObjects ?? row?.shared_objects ?? 'refuse',
    fallbacks: group.fallbacks ? JSON.stringify(group.fallbacks) : (row?.fallbacks ?? '{}'),
  }
  const isSame =
    row?.factor_micro === columns.factor_micro &&
    row.unsupported === columns.unsupported &&
    row.unpriced_features === columns.unpriced_features &&
    row.shared_objects === columns.shared_objects &&
    row.fallbacks === columns.fallbacks
  if (isSame) return 'same'
  await tx
    .insertInto('service_group')
    .values({ id: group.id, ...columns, created_at: tools.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
  announce('catalog', group.id)
  return row ? 'changed' : 'created'
}

export interface Grant {
  readonly accountId: string
  /** From this moment on the account may not use the group any more; undefined: it may for ever. */
  readonly endsAtMs: number | undefined
}

/** Restricts a group to exactly these accounts, or opens it to every account. */
export async function putGrants(
  { tx, announce }: Writing,
  groupId: string,
  grants: readonly Grant[] | 'all',
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
  const restricted = grants === 'all' ? 0 : 1
  const wanted = (grants === 'all' ? [] : grants).map(({ accountId, endsAtMs }) => ({
    group_id: groupId,
    account_id: accountId,
    ends_at: endsAtMs ?? null,
  }))
  const found = new Map(rows.map((row) => [row.account_id, row.ends_at]))
  const isSame =
    group?.restricted === restricted &&
    found.size === wanted.length &&
    wanted.every((each) => found.get(each.account_id) === each.ends_at)
  if (isSame) return 'same'
  await tx.updateTable('service_group').set({ restricted }).where('id', '=', groupId).execute()
  await tx.deleteFrom('group_grant').where('group_id', '=', groupId).execute()
  if (wanted.length > 0) await tx.insertInto('group_grant').values(wanted).execute()
  announce('catalog', groupId)
  return 'changed'
}

export async function removeGroup({ tx, announce }: Writing, groupId: string): Promise<void> {
  await tx.deleteFrom('group_grant').where('group_id', '=', groupId).execute()
  await tx.deleteFrom('service_group').where('id', '=', groupId).execute()
  announce('catalog', groupId)
}
