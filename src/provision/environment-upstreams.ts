import { addStartModels } from '../catalog/add-start-models.ts'
import type { CatalogDeps } from '../catalog/catalog-store.ts'
import { mirrorCredential, renewCredential } from '../catalog/credential-store.ts'
import { defaultGroup, ensureDefaultGroup } from '../catalog/default-group.ts'
import { extendRoutes } from '../catalog/extend-routes.ts'
import { putRoutes } from '../catalog/route-store.ts'
import { startCatalogue } from '../catalog/start-catalogue.ts'
import { putUpstream } from '../catalog/upstream-store.ts'
import type { Config } from '../config/config.ts'
import { firstName } from '../config/credential-field.ts'
import { type ProvisionVendor, protocolByDefault } from '../config/read-provision.ts'
import { recordAudit } from '../store/changes/audit.ts'
import type { Writing } from '../store/changes/write.ts'
import { provisionActor } from './provision-deps.ts'

/**
 * Creates an upstream for each credential in the environment, which serves the initial catalogue in the group "default".
 * An existing upstream keeps the operator's settings: only its credential is renewed, and models that are new in the
 * catalogue are added. An upstream with the same id in the file takes precedence.
 */
export async function applyEnvironmentUpstreams(
  writing: Writing,
  deps: CatalogDeps,
  config: Pick<Config, 'environmentCredentials' | 'provision'>,
  vendors: ReadonlyMap<string, ProvisionVendor>,
): Promise<string[]> {
  const inFile = new Set(config.provision.upstreams.map(({ id }) => id))
  const made: string[] = []
  for (const [vendor, credential] of credentialsOf(config)) {
    const facts = vendors.get(vendor)
    if (facts?.baseUrl === undefined || inFile.has(vendor)) continue
    const { baseUrl } = facts
    const protocol = protocolByDefault(facts)
    await applyOne(writing, deps, { vendor, protocol, credential, baseUrl })
    made.push(vendor)
  }
  return made
}

function credentialsOf({ environmentCredentials }: Pick<Config, 'environmentCredentials'>) {
  const entries = Object.entries<string | undefined>({ ...environmentCredentials })
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
}

async function applyOne(
  writing: Writing,
  deps: CatalogDeps,
  found: { vendor: string; protocol: string; credential: string; baseUrl: string },
): Promise<void> {
  const { vendor, protocol, credential, baseUrl } = found
  const catalogue = await startCatalogue(vendor, deps.nowMs())
  await ensureDefaultGroup(writing, deps)
  const added = await addStartModels(writing, deps, catalogue)
  const row = await writing.tx
    .selectFrom('upstream')
    .select(['vendor', 'protocol', 'base_url'])
    .where('id', '=', vendor)
    .executeTakeFirst()
  const place = row
    ? { vendor: row.vendor, protocol: row.protocol, baseUrl: row.base_url }
    : { vendor, protocol, baseUrl }
  const put = await putUpstream(writing, deps, { id: vendor, ...place })
  const isRenewed = await renew(writing, deps, { id: vendor, baseUrl }, place.baseUrl, credential)
  const result = put === 'same' && isRenewed ? 'changed' : put
  const all = catalogue.map(({ model }) => routeTo(model.id))
  if (row) await extendRoutes(writing, vendor, added.map(routeTo))
  else await putRoutes(writing, vendor, all)
  if (result !== 'same') await note(writing, deps, vendor, `upstream.${result}`)
}

/**
 * The variable belongs to the vendor, so its value is entered for the vendor's host, whatever the upstream's base URL
 * is.
 */
async function renew(
  writing: Writing,
  deps: CatalogDeps,
  vendor: { id: string; baseUrl: string },
  baseUrl: string,
  value: string,
): Promise<boolean> {
  const isRenewed = await renewCredential(writing, deps, vendor, { name: firstName, value })
  if (!isRenewed) return false
  await mirrorCredential(writing, { id: vendor.id, baseUrl })
  writing.announce('catalog', vendor.id)
  return true
}

function routeTo(model: string) {
  return { group: defaultGroup, model, upstreamModel: model }
}

async function note(writing: Writing, deps: CatalogDeps, subject: string, action: string) {
  const after = { from: 'environment' }
  await recordAudit(writing, { at: deps.nowMs(), actor: provisionActor, action, subject, after })
}
