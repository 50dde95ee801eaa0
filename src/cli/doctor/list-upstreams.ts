import type { Credential, Upstream } from '../../catalog/catalog-snapshot.ts'
import { originOf } from '../../catalog/origin-of.ts'
import { readUpstreams } from '../../catalog/read-upstreams.ts'
import type { Config } from '../../config/config.ts'
import { firstName } from '../../config/credential-field.ts'
import type { ProvisionUpstream } from '../../config/provision.ts'
import { protocolByDefault } from '../../config/read-provision.ts'
import { secretHint } from '../../core/text/secret-hint.ts'
import { storedDemoUrl } from '../../core/upstreams/stored-demo-url.ts'
import { timeoutsByDefault } from '../../core/upstreams/upstream-timeouts.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import { vendors } from '../../vendors/index.ts'

/** The upstreams that a start would use, from the database, the environment and the file. The file takes precedence. */
export async function listUpstreams(
  config: Pick<Config, 'provision' | 'environmentCredentials'>,
  database: { engine: Engine; vault: Vault } | undefined,
): Promise<Upstream[]> {
  const byId = new Map<string, Upstream>()
  if (database) {
    const stored = await readUpstreams(database.engine, database.vault, storedDemoUrl)
    for (const [id, { upstream }] of stored) byId.set(id, upstream)
  }
  for (const [vendor, value] of Object.entries(config.environmentCredentials)) {
    if (typeof value !== 'string') continue
    const upstream = ofEnvironment(vendor, value, byId.get(vendor))
    if (upstream) byId.set(vendor, upstream)
  }
  for (const each of config.provision.upstreams) byId.set(each.id, ofFile(each, byId.get(each.id)))
  return [...byId.values()].sort((left, right) => (left.id < right.id ? -1 : 1))
}

function ofEnvironment(
  vendor: string,
  value: string,
  stored: Upstream | undefined,
): Upstream | undefined {
  const facts = vendors.get(vendor)
  if (facts?.baseUrl === undefined) return stored
  const fresh = {
    id: vendor,
    vendor,
    protocol: protocolByDefault(facts),
    baseUrl: facts.baseUrl,
    ...plain,
  }
  const upstream = stored ?? fresh
  if (originOf(upstream.baseUrl) !== originOf(facts.baseUrl)) return upstream
  const others = upstream.credentials.filter(({ name }) => name !== firstName)
  const credentials = [credentialOf(firstName, value), ...others]
  return { ...upstream, credentials, needsCredential: false }
}

function ofFile(entry: ProvisionUpstream, stored: Upstream | undefined): Upstream {
  const { id, vendor, protocol, baseUrl, ca, allowsPrivate, timeouts, proxy } = entry
  const known = stored ?? { ...plain, baseUrl }
  const hasMoved = originOf(known.baseUrl) !== originOf(baseUrl)
  const kept = hasMoved ? [] : known.credentials
  const configured = entry.credentials?.flatMap(({ name, value }) =>
    value === undefined ? kept.filter((each) => each.name === name) : [credentialOf(name, value)],
  )
  return {
    ...known,
    id,
    vendor,
    protocol,
    baseUrl,
    credentials: configured ?? kept,
    needsCredential:
      configured === undefined &&
      (known.needsCredential || (hasMoved && known.credentials.length > 0)),
    connection: {
      proxy: proxy === undefined ? known.connection.proxy : (proxy ?? undefined),
      ca: ca === undefined ? known.connection.ca : (ca ?? undefined),
      allowsPrivate: allowsPrivate ?? known.connection.allowsPrivate,
    },
    timeouts: timeouts ? { ...timeoutsByDefault, ...timeouts } : known.timeouts,
    isEnabled: entry.isEnabled ?? known.isEnabled,
  }
}

const plain = {
  credentials: [],
  needsCredential: false,
  timeouts: timeoutsByDefault,
  concurrencyMax: undefined,
  connection: { proxy: undefined, ca: undefined, allowsPrivate: false },
  probe: undefined,
  isEnabled: true,
}

function credentialOf(name: string, value: string): Credential {
  return { id: name, name, value, hint: secretHint(value) }
}
