import { ownedLimits } from '../core/limits/rate-limit.ts'
import type { Engine } from '../store/engine.ts'
import { valuesOf } from '../store/rows/stored-fields.ts'
import type { Group } from './catalog-snapshot.ts'
import { groupColumns } from './setting-columns.ts'

export async function readGroups({ db }: Engine): Promise<Map<string, Group>> {
  const [rows, grants] = await Promise.all([
    db.selectFrom('service_group').selectAll().execute(),
    db.selectFrom('group_grant').selectAll().execute(),
  ])
  const byGroup = Map.groupBy(grants, (grant) => grant.group_id)
  return new Map(
    rows.map((row) => {
      const settings = valuesOf(groupColumns, row)
      const granted = (byGroup.get(row.id) ?? []).map(
        (each) => [each.account_id, each.ends_at ?? undefined] as const,
      )
      const group = {
        id: row.id,
        factorMicro: settings.factor,
        isStrict: settings.unsupported === 'reject',
        allowsUnpriced: settings.unpricedFeatures === 'token_price',
        allowsSharedObjects: settings.sharedObjects === 'allow',
        grants: row.restricted === 0 ? undefined : new Map(granted),
        fallbacks: new Map(Object.entries(settings.fallbacks)),
        priority: settings.priority,
        limits: ownedLimits('group', row.id, settings),
      }
      return [row.id, group]
    }),
  )
}
