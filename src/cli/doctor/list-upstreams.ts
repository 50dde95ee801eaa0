import { credentialPurpose, type UpstreamSettings } from '../../catalog/catalog-store.ts'
import type { Config } from '../../config/config.ts'
import { protocolByDefault } from '../../config/read-provision.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/vault.ts'
import { vendors } from '../../vendors/index.ts'

/** The upstreams there would be after a start: of the database, the environment and the file, the file strongest. */
export async function listUpstreams(
  config: Pick<Config, 'provision' | 'environmentCredentials'>,
  database: { engine: Engine; vault: Vault } | undefined,
): Promise<UpstreamSettings[]> {
  const byId = new Map<string, UpstreamSettings>()
  for (const each of await storedUpstreams(database)) byId.set(each.id, each)
  for (const [vendor, credential] of Object.entries(config.environmentCredentials)) {
    const stored = byId.get(vendor)
    const facts = vendors.get(vendor)
    const baseUrl = stored?.baseUrl ?? facts?.baseUrl
    const protocol = stored?.protocol ?? (facts && protocolByDefault(facts))
    if (baseUrl === undefined || protocol === undefined || typeof credential !== 'string') continue
    byId.set(vendor, { id: vendor, vendor, protocol, baseUrl, credential })
  }
  for (const each of config.provision.upstreams) byId.set(each.id, each)
  return [...byId.values()].sort((left, right) => (left.id < right.id ? -1 : 1))
}

async function storedUpstreams(
  database: { engine: Engine; vault: Vault } | undefined,
): Promise<UpstreamSettings[]> {
  if (!database) return []
  const { engine, vault } = database
  const rows = await engine.db.selectFrom('upstream').selectAll().execute()
  return rows.map((row) => ({
    id: row.id,
    vendor: row.vendor,
    protocol: row.protocol,
    baseUrl: row.base_url,
    credential:
      row.credential_sealed === null
        ? undefined
        : vault.open(row.credential_sealed, credentialPurpose),
  }))
}
