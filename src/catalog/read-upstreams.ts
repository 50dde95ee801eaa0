import type { Selectable } from 'kysely'
import { idWithin, ownedLimits } from '../core/limits/rate-limit.ts'
import { secretHint } from '../core/text/secret-hint.ts'
import type { ParameterPolicy } from '../core/upstreams/parameter-policy.ts'
import { storedDemoUrl } from '../core/upstreams/stored-demo-url.ts'
import { timeoutsByDefault } from '../core/upstreams/upstream-timeouts.ts'
import type { Engine } from '../store/engine.ts'
import { limitColumns, valuesOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { UpstreamCredentialTable, UpstreamTable } from '../store/tables/tables.ts'
import type { Credential, Upstream } from './catalog-snapshot.ts'
import { credentialPurpose, proxyPurpose } from './catalog-store.ts'
import { originOf } from './origin-of.ts'
import { decodeOptions } from './upstream-options.ts'

export interface ReadUpstream {
  readonly upstream: Upstream
  /** The changes to the requests of all routes of the upstream. */
  readonly parameters: ParameterPolicy | undefined
}

/** Omits the demo upstream if it does not run in this process: its routes do not exist here. */
export async function readUpstreams(
  { db }: Engine,
  vault: Vault,
  demoBaseUrl: string | undefined,
): Promise<Map<string, ReadUpstream>> {
  const all = await db.selectFrom('upstream').selectAll().orderBy('id').execute()
  const rows = all.filter((row) => row.base_url !== storedDemoUrl || demoBaseUrl !== undefined)
  const credentials = await db
    .selectFrom('upstream_credential')
    .selectAll()
    .orderBy('created_at')
    .orderBy('name')
    .execute()
  const byUpstream = Map.groupBy(credentials, (each) => each.upstream_id)
  return new Map(
    rows.map((row) => [
      row.id,
      readUpstream(row, byUpstream.get(row.id) ?? [], vault, demoBaseUrl),
    ]),
  )
}

function readUpstream(
  row: Selectable<UpstreamTable>,
  stored: readonly UpstreamCredentialTable[],
  vault: Vault,
  demoBaseUrl: string | undefined,
): ReadUpstream {
  const options = decodeOptions(row.settings)
  const enabled = stored.filter((each) => each.enabled === 1)
  const bound = enabled.filter((each) => originOf(each.origin) === originOf(row.base_url))
  const upstream = {
    id: row.id,
    vendor: row.vendor,
    protocol: row.protocol,
    baseUrl: row.base_url === storedDemoUrl ? (demoBaseUrl ?? '') : row.base_url,
    credentials: bound.map((each) => openCredential(each, vault)),
    // Otherwise an upstream whose credentials are all disabled or bound to another host would get requests without a
    // credential, and reject them.
    needsCredential: stored.length > 0 && bound.length === 0,
    timeouts: { ...timeoutsByDefault, ...options.timeouts },
    concurrencyMax: options.concurrencyMax ?? undefined,
    connection: {
      proxy: row.proxy_sealed === null ? undefined : vault.open(row.proxy_sealed, proxyPurpose),
      ca: options.ca ?? undefined,
      allowsPrivate: options.allowsPrivate,
    },
    billsOnAbort: options.billsOnAbort ?? undefined,
    probe: options.probe
      ? { everyMs: options.probe.everyMs, model: options.probe.model ?? undefined }
      : undefined,
    isEnabled: row.enabled === 1,
  }
  return { upstream, parameters: options.parameters ?? undefined }
}

function openCredential(row: UpstreamCredentialTable, vault: Vault): Credential {
  const value = vault.open(row.value_sealed, credentialPurpose)
  return {
    id: row.id,
    name: row.name,
    value,
    hint: row.hint === '' ? secretHint(value) : row.hint,
    // By name, because a new value belongs to the same account at the provider.
    limits: ownedLimits(
      'credential',
      idWithin(row.upstream_id, row.name),
      valuesOf(limitColumns, row),
    ),
  }
}
