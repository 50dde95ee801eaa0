import type { Engine } from '../../../store/engine.ts'

export interface UsableGroup {
  readonly id: string
  readonly factorMicro: number
  /** End of the last grant; null for no end. */
  readonly until: number | null
}

/** The groups that keys of these accounts may use now, sorted by id; undefined: all groups. */
export async function usableGroups(
  db: Engine['db'],
  accountIds: readonly string[] | undefined,
  nowMs: number,
): Promise<UsableGroup[]> {
  const groups = await db.selectFrom('service_group').selectAll().orderBy('id').execute()
  const restricted = groups.filter((group) => group.restricted === 1)
  const grants =
    restricted.length === 0 || accountIds === undefined || accountIds.length === 0
      ? []
      : await db
          .selectFrom('group_grant')
          .selectAll()
          .where('account_id', 'in', accountIds)
          .execute()
  return groups.flatMap(({ id, factor_micro: factorMicro, restricted: isRestricted }) => {
    if (accountIds === undefined || isRestricted !== 1) return [{ id, factorMicro, until: null }]
    const ends = grants
      .filter((grant) => grant.group_id === id)
      .map((grant) => grant.ends_at ?? Number.POSITIVE_INFINITY)
      .filter((end) => end > nowMs)
    if (ends.length === 0) return []
    const last = Math.max(...ends)
    return [{ id, factorMicro, until: Number.isFinite(last) ? last : null }]
  })
}
