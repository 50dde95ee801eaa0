import type { Selectable } from 'kysely'
import { credentialColumns } from '../catalog/credential-store.ts'
import { groupDefinition } from '../catalog/definition/group.ts'
import { provisionedModelDefinition } from '../catalog/definition/model.ts'
import type { PriceSettings } from '../catalog/definition/price.ts'
import { routeDefinition } from '../catalog/definition/route.ts'
import { credentialDefinition, upstreamDefinition } from '../catalog/definition/upstream.ts'
import {
  groupColumns,
  modelColumns,
  routeColumns,
  upstreamColumns,
} from '../catalog/setting-columns.ts'
import { featureNames } from '../core/money/feature.ts'
import { upstreamProtocols } from '../core/neutral/protocol-name.ts'
import { toWritten, without } from '../fields/definition.ts'
import type { Engine } from '../store/engine.ts'
import { priceOfRow } from '../store/rows/price-row.ts'
import { columnNames, valuesOf } from '../store/rows/stored-fields.ts'
import type { PriceVersionTable, RouteTable } from '../store/tables/tables.ts'
import { entriesOf, sortBy, type WrittenEntry } from './written-entries.ts'

type Db = Engine['db']

export async function exportGroups(db: Db): Promise<WrittenEntry[]> {
  const rows = await db.selectFrom('service_group').selectAll().execute()
  const granted = await db.selectFrom('group_grant').selectAll().execute()
  const byGroup = Map.groupBy(granted, (row) => row.group_id)
  return entriesOf(
    sortBy(rows, ({ id }) => id),
    (row) => {
      const grants = sortBy(byGroup.get(row.id) ?? [], (each) => each.account_id)
      return toWritten(groupDefinition, {
        id: row.id,
        ...valuesOf(groupColumns, row),
        grants:
          row.restricted === 0
            ? null
            : grants.map((each) => ({ accountId: each.account_id, until: each.ends_at })),
      })
    },
  )
}

export async function exportModels(
  db: Db,
  nowMs: number,
  leftOut: ReadonlySet<string>,
): Promise<WrittenEntry[]> {
  const rows = await db.selectFrom('model').selectAll().execute()
  const versions = await db
    .selectFrom('price_version')
    .selectAll()
    .orderBy('valid_from')
    .orderBy('id')
    .execute()
  const byModel = Map.groupBy(versions, (row) => row.model_id)
  const shown = rows.filter(({ id }) => !leftOut.has(id))
  return entriesOf(
    sortBy(shown, ({ id }) => id),
    (row) => {
      const prices = byModel.get(row.id) ?? []
      const present = prices.findLast((each) => each.valid_from <= nowMs)
      const planned = prices.filter((each) => each.valid_from > nowMs)
      return toWritten(provisionedModelDefinition, {
        id: row.id,
        ...valuesOf(modelColumns, row),
        price: present ? settingsOf(present) : null,
        plannedPrices: planned.map((each) => ({ validFrom: each.valid_from, ...settingsOf(each) })),
      })
    },
  )
}

/**
 * Writes missing feature prices and empty long-prompt prices explicitly: if they were absent, an import would use known
 * prices and carry the ratios over.
 */
function settingsOf(row: Selectable<PriceVersionTable>): PriceSettings {
  const { versionId: _, features, tiers = [], ...price } = priceOfRow(row)
  const explicit = Object.fromEntries(featureNames.map((name) => [name, features?.[name] ?? null]))
  return { ...price, features: explicit, longPrompts: tiers }
}

export async function exportUpstreams(
  db: Db,
  leftOut: ReadonlySet<string>,
): Promise<WrittenEntry[]> {
  const rows = await db.selectFrom('upstream').selectAll().execute()
  const credentials = await db
    .selectFrom('upstream_credential')
    .select(['upstream_id', 'created_at', ...columnNames(credentialColumns)])
    .orderBy('created_at')
    .orderBy('name')
    .execute()
  const credentialsOf = Map.groupBy(credentials, (row) => row.upstream_id)
  const shown = rows.filter(({ id }) => !leftOut.has(id))
  const routesOf = new Map<string, WrittenEntry>()
  for (const { id } of shown) {
    const routes = db.selectFrom('route').selectAll().where('upstream_id', '=', id)
    routesOf.set(id, await exportRoutes(await routes.execute()))
  }
  return entriesOf(
    sortBy(shown, ({ id }) => id),
    (row) => {
      const { protocol, options, ...settings } = valuesOf(upstreamColumns, row)
      return {
        ...toWritten(upstreamDefinition, {
          id: row.id,
          ...settings,
          protocol: upstreamProtocols.find((each) => each === protocol) ?? 'any',
          ...options,
        }),
        credentials: sortBy(credentialsOf.get(row.id) ?? [], ({ name }) => name).map((each) =>
          toWritten(without(credentialDefinition, ['value']), valuesOf(credentialColumns, each)),
        ),
        ...routesOf.get(row.id),
      }
    },
  )
}

/**
 * The groups of an upstream, and each model. A model lists its own groups where it is not served alike in all of them.
 */
async function exportRoutes(routes: readonly RouteTable[]): Promise<WrittenEntry> {
  const groups = sortBy([...new Set(routes.map((route) => route.group_id))], (id) => id)
  const alike = new Map<string, { readonly first: RouteTable; readonly groups: string[] }>()
  await entriesOf(routes, (route) => {
    const { group_id: group, upstream_id: _, ...settings } = route
    const text = JSON.stringify(settings)
    const same = alike.get(text)
    if (same) same.groups.push(group)
    else alike.set(text, { first: route, groups: [group] })
    return settings
  })
  const definition = without(routeDefinition, ['group'])
  const entries = await entriesOf([...alike.values()], ({ first, groups: own }) => {
    const written = toWritten(definition, valuesOf(routeColumns, first))
    const entry =
      own.length < groups.length ? { ...written, groups: sortBy(own, (id) => id) } : written
    return { entry, text: JSON.stringify(entry) }
  })
  return { groups, models: sortBy(entries, ({ text }) => text).map(({ entry }) => entry) }
}
