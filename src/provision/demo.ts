import { type CatalogTools, putModel, putPrice } from '../catalog/catalog-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import type { ModelValues } from '../catalog/definition/model.ts'
import type { PriceSettings } from '../catalog/definition/price.ts'
import { putGroup } from '../catalog/group-store.ts'
import { putRoutes } from '../catalog/route-store.ts'
import { putUpstream } from '../catalog/upstream-store.ts'
import type { DemoMode } from '../config/config.ts'
import { parseDollars } from '../core/money.ts'
import { storedDemoUrl } from '../core/stored-demo-url.ts'
import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import { knownIds } from './known-ids.ts'
import { addStartModels } from './put-models.ts'

const demoUpstreamId = 'demo'

/** A second group for an explicit demo: an automatic order needs something to choose from. */
const premiumGroup = 'premium'
const premiumFactorMicro = 1_250_000n

const demoModels: readonly { model: ModelValues; price: PriceSettings }[] = [
  { model: demoModel('demo-small', 'Demo small'), price: price('0.15', '0.15', '0.60') },
  { model: demoModel('demo-large', 'Demo large'), price: price('2.50', '1.25', '10') },
]

function demoModel(id: string, displayName: string): ModelValues {
  return { id, displayName, ownedBy: 'tollgate', contextTokens: 128_000, maxOutputTokens: 16_384 }
}

function price(input: string, cacheRead: string, output: string): PriceSettings {
  const inputNano = parseDollars(input) ?? 0n
  return {
    inputNano,
    cacheReadNano: parseDollars(cacheRead) ?? 0n,
    cacheWrite5mNano: inputNano,
    cacheWrite1hNano: inputNano,
    outputNano: parseDollars(output) ?? 0n,
    requestNano: 0n,
  }
}

/**
 * Enables or disables the demo upstream: on, off, or on while there is no other upstream. Call this function after
 * every other step that creates upstreams. Returns whether the demo is active.
 */
export async function applyDemo(
  writing: Writing,
  tools: CatalogTools,
  mode: DemoMode,
): Promise<boolean> {
  const rows = await writing.tx.selectFrom('upstream').select('id').execute()
  const isAlone = rows.every(({ id }) => id === demoUpstreamId)
  if (mode === 'on' || (mode === 'auto' && isAlone)) {
    await putDemo(writing, tools, mode === 'on' ? [defaultGroup, premiumGroup] : [defaultGroup])
    return true
  }
  // The models stay, because entries and keys may name them; without a route they are neither listed nor callable.
  if (rows.some(({ id }) => id === demoUpstreamId)) await putRoutes(writing, demoUpstreamId, [])
  return false
}

/** The built-in upstream, and those of its models that no other upstream serves. */
export async function demoIds(
  db: Engine['db'],
): Promise<{ upstreams: ReadonlySet<string>; models: ReadonlySet<string> }> {
  const upstreams = await db
    .selectFrom('upstream')
    .select('id')
    .where('base_url', '=', storedDemoUrl)
    .execute()
  const ids = upstreams.map(({ id }) => id)
  const models = demoModels.map(({ model }) => model.id)
  const routes = await db
    .selectFrom('route')
    .select(['model_id', 'upstream_id'])
    .where('model_id', 'in', models)
    .execute()
  const served = new Set(
    routes.filter((row) => !ids.includes(row.upstream_id)).map((row) => row.model_id),
  )
  const own = ids.length === 0 ? [] : models.filter((id) => !served.has(id))
  return { upstreams: new Set(ids), models: new Set(own) }
}

async function ensurePremiumGroup(writing: Writing, tools: CatalogTools): Promise<void> {
  const known = await knownIds(writing.tx, 'service_group', [premiumGroup])
  if (known.has(premiumGroup)) return
  await putGroup(writing, tools, { id: premiumGroup, factor: premiumFactorMicro })
}

async function putDemo(
  writing: Writing,
  tools: CatalogTools,
  groups: readonly string[],
): Promise<void> {
  await ensureDefaultGroup(writing, tools)
  if (groups.includes(premiumGroup)) await ensurePremiumGroup(writing, tools)
  const added = new Set(await addStartModels(writing, tools, demoModels))
  for (const each of demoModels) {
    if (added.has(each.model.id)) continue
    await putModel(writing, tools, each.model)
    await putPrice(writing, tools, each.model.id, each.price)
  }
  await putUpstream(writing, tools, {
    id: demoUpstreamId,
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    baseUrl: storedDemoUrl,
    credentials: [],
  })
  const routes = groups.flatMap((group) =>
    demoModels.map(({ model }) => ({
      group,
      model: model.id,
      upstreamModel: model.id,
      priority: 0,
      weight: 1,
    })),
  )
  await putRoutes(writing, demoUpstreamId, routes)
}
