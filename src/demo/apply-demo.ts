import { addStartModels } from '../catalog/add-start-models.ts'
import { type CatalogDeps, putModel, putPrice } from '../catalog/catalog-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import { putGroup } from '../catalog/group-store.ts'
import { putRoutes } from '../catalog/route-store.ts'
import { putUpstream } from '../catalog/upstream-store.ts'
import type { DemoMode } from '../config/config.ts'
import { parseDollars } from '../core/money/money.ts'
import { storedDemoUrl } from '../core/upstreams/stored-demo-url.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import { knownIds } from '../store/rows/known-ids.ts'

const demoUpstreamId = 'demo'

/** A second group for an explicit demo: an automatic order needs something to choose from. */
const premiumGroup = 'premium'
const premiumFactorMicro = 1_250_000n

const demoModels = [
  demoModel('demo-small', 'Demo small', ['0.15', '0.15', '0.60']),
  demoModel('demo-large', 'Demo large', ['2.50', '1.25', '10']),
]

/** Prices per million tokens: input, cached input, output. */
function demoModel(id: string, displayName: string, prices: readonly [string, string, string]) {
  const [inputNano = 0n, cacheReadNano = 0n, outputNano = 0n] = prices.map(parseDollars)
  return {
    model: {
      id,
      displayName,
      ownedBy: 'tollgate',
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
    },
    price: {
      inputNano,
      cacheReadNano,
      cacheWrite5mNano: inputNano,
      cacheWrite1hNano: inputNano,
      outputNano,
      requestNano: 0n,
    },
  }
}

/**
 * Enables or disables the demo upstream: on, off, or on while there is no other upstream. Call this function after
 * every other step that creates upstreams. Returns whether the demo is active.
 */
export async function applyDemo(
  writing: Writing,
  deps: CatalogDeps,
  mode: DemoMode,
): Promise<boolean> {
  const rows = await writing.tx.selectFrom('upstream').select('id').execute()
  const isAlone = rows.every(({ id }) => id === demoUpstreamId)
  if (mode === 'on' || (mode === 'auto' && isAlone)) {
    await putDemo(writing, deps, mode === 'on' ? [defaultGroup, premiumGroup] : [defaultGroup])
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

async function putDemo(
  writing: Writing,
  deps: CatalogDeps,
  groups: readonly string[],
): Promise<void> {
  await ensureDefaultGroup(writing, deps)
  if (groups.includes(premiumGroup)) {
    const known = await knownIds(writing.tx, 'service_group', [premiumGroup])
    if (known.size === 0)
      await putGroup(writing, deps, { id: premiumGroup, factor: premiumFactorMicro })
  }
  const added = await addStartModels(writing, deps, demoModels)
  for (const { model, price } of demoModels) {
    if (added.includes(model.id)) continue
    await putModel(writing, deps, model)
    await putPrice(writing, deps, model.id, price)
  }
  await putUpstream(writing, deps, {
    id: demoUpstreamId,
    vendor: 'openai-compatible',
    protocol: 'chat-completions',
    baseUrl: storedDemoUrl,
    credentials: [],
  })
  const routes = groups.flatMap((group) =>
    demoModels.map(({ model: { id } }) => ({
      group,
      model: id,
      upstreamModel: id,
      priority: 0,
      weight: 1,
    })),
  )
  await putRoutes(writing, demoUpstreamId, routes)
}
