import { priceAt } from '../../catalog/catalog-snapshot.ts'
import { readCatalog } from '../../catalog/read-catalog.ts'
import { storedDemoUrl } from '../../core/upstreams/stored-demo-url.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { type DoctorFinding, ok, warn } from './finding.ts'

const topic = 'models'
const namedMax = 5

/** Models that callers see but cannot call, and models without a route. */
export async function checkModels(
  database: { engine: Engine; vault: Vault } | undefined,
  nowMs: number,
): Promise<DoctorFinding[]> {
  if (!database) return []
  const catalog = await readCatalog(database.engine, database.vault, storedDemoUrl)
  if (catalog.models.size === 0) return []
  const routed = new Set([...catalog.routes.values()].flatMap((byModel) => [...byModel.keys()]))
  const models = [...catalog.models.values()]
  const unpriced = models.filter((each) => routed.has(each.id) && !priceAt(each, nowMs))
  const unrouted = models.filter((each) => !routed.has(each.id))
  const lost = [...catalog.groups.values()].flatMap(({ id, fallbacks }) =>
    [...fallbacks.values()].flat().filter((each) => !catalog.routes.get(id)?.has(each)),
  )
  const findings = [
    ...unless(unpriced.length === 0, () =>
      warn(
        topic,
        `${named(unpriced)} served without a price, so requests are rejected; set a price`,
      ),
    ),
    ...unless(unrouted.length === 0, () =>
      warn(topic, `${named(unrouted)} known but served by no upstream; add a route`),
    ),
    ...unless(lost.length === 0, () =>
      warn(
        topic,
        `${named(lost.map((id) => ({ id })))} named as a fallback in a group that does not serve it; add a route in that group`,
      ),
    ),
  ]
  return findings.length > 0 ? findings : [ok(topic, `all ${models.length} priced and served`)]
}

function unless(isFine: boolean, make: () => DoctorFinding): DoctorFinding[] {
  return isFine ? [] : [make()]
}

function named(models: readonly { readonly id: string }[]): string {
  const ids = models.slice(0, namedMax).map(({ id }) => id)
  const rest = models.length - ids.length
  const text = rest > 0 ? `${ids.join(', ')} and ${rest} more` : ids.join(', ')
  return `${text} ${models.length === 1 ? 'is' : 'are'}`
}
