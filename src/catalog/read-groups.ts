import type { Engine } from '../store/engine.ts'
import { readJsonList } from '../store/json-list.ts'
import { isObject, parseJson } from '../wire/json.ts'
import type { Group } from './catalog-snapshot.ts'

export async function readGroups({ db }: Engine): Promise<Map<string, Group>> {
  const [rows, grants] = await Promise.all([
    db.selectFrom('service_group').selectAll().execute(),
    db.selectFrom('group_grant').selectAll().execute(),
  ])
  const byGroup = Map.groupBy(grants, (grant) => grant.group_id)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        factorMicro: BigInt(row.factor_micro),
        isStrict: row.unsupported === 'reject',
        allowsUnpriced: row.unpriced_features === 'token_price',
        allowsSharedObjects: row.shared_objects === 'allow',
        grants:
          row.restricted === 0
            ? undefined
            : new Map(
                (byGroup.get(row.id) ?? []).map((each) => [
                  each.account_id,
                  each.ends_at ?? undefined,
                ]),
              ),
        fallbacks: readFallbacks(row.fallbacks),
      },
    ]),
  )
}

function readFallbacks(text: string): Map<string, readonly string[]> {
  const value = parseJson(text)
  if (!isObject(value)) return new Map()
  return new Map(
    Object.entries(value).map(([model, list]) => [model, readJsonList(JSON.stringify(list))]),
  )
}
