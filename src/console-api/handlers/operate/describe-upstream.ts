import type { Selectable } from 'kysely'
import { proxyPurpose } from '../../../catalog/catalog-store.ts'
import { credentialColumns } from '../../../catalog/credential-store.ts'
import { originOf } from '../../../catalog/origin-of.ts'
import { upstreamColumns } from '../../../catalog/setting-columns.ts'
import { upstreamProtocols } from '../../../core/neutral/protocol-name.ts'
import type { ParameterPolicy as CorePolicy } from '../../../core/upstreams/parameter-policy.ts'
import { storedDemoUrl } from '../../../core/upstreams/stored-demo-url.ts'
import { timeoutsByDefault } from '../../../core/upstreams/upstream-timeouts.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import type { Vault } from '../../../store/secrets/vault.ts'
import type { UpstreamCredentialTable, UpstreamTable } from '../../../store/tables/tables.ts'
import type {
  CredentialRow,
  ShownParameterPolicy,
  UpstreamDetail,
  UpstreamHealth,
  UpstreamProtocol,
  UpstreamRow,
  UpstreamSettings,
} from '../../contract.ts'
import type { HealthReading } from '../../ports/gateway-ports.ts'
import { jsonMembers } from '../../rows/json-members.ts'
import { noSpend, type SpendReading } from './spend-of-upstreams.ts'

export type UpstreamRecord = Selectable<UpstreamTable>

export function describeUpstream(
  row: UpstreamRecord,
  parts: {
    readonly credentials: readonly UpstreamCredentialTable[]
    readonly routeCount: number
    readonly health: HealthReading | undefined
    readonly spend: SpendReading
  },
): UpstreamRow {
  const enabled = parts.credentials.filter((each) => each.enabled === 1)
  const bound = enabled.filter((each) => !isStale(row, each))
  return {
    id: row.id,
    vendor: row.vendor,
    protocol: protocolOf(row),
    baseUrl: row.base_url,
    isDemo: row.base_url === storedDemoUrl,
    isEnabled: row.enabled === 1,
    needsCredential: parts.credentials.length > 0 && bound.length === 0,
    credentialCount: parts.credentials.length,
    routeCount: parts.routeCount,
    health: describeHealth(parts.health),
    spend: {
      from: parts.spend.fromMs,
      ...(parts.spend.byUpstream.get(row.id) ?? noSpend),
    },
  }
}

function protocolOf(row: UpstreamRecord): UpstreamProtocol {
  return upstreamProtocols.find((each) => each === row.protocol) ?? 'any'
}

function isStale(row: UpstreamRecord, credential: UpstreamCredentialTable): boolean {
  return originOf(credential.origin) !== originOf(row.base_url)
}

function describeHealth(reading: HealthReading | undefined): UpstreamHealth {
  return {
    state: reading?.state ?? 'unknown',
    breaker: reading?.breaker ?? 'closed',
    openUntil: reading?.openUntilMs ?? null,
    firstTokenMs: reading?.firstTokenMs ?? null,
    inFlight: reading?.inFlight ?? 0,
  }
}

export function describeCredential(
  upstream: UpstreamRecord,
  row: UpstreamCredentialTable,
  health: HealthReading | undefined,
): CredentialRow {
  const reading = health?.credentials.get(row.id)
  return {
    id: row.id,
    ...valuesOf(credentialColumns, row),
    hint: row.hint === '' ? '...' : row.hint,
    isStale: isStale(upstream, row),
    state: reading?.state ?? 'unknown',
    until: reading?.untilMs ?? null,
    createdAt: row.created_at,
  }
}

/** The settings that the form edits. The proxy may contain a password, so it is left out. */
export function describeSettings(row: UpstreamRecord): UpstreamSettings {
  const { options, ...settings } = valuesOf(upstreamColumns, row)
  return {
    ...settings,
    ...options,
    protocol: protocolOf(row),
    parameters: describePolicy(options.parameters),
  }
}

export function describePolicy(policy: CorePolicy | null): ShownParameterPolicy | null {
  if (policy === null) return null
  const { default: defaults, ...rest } = policy
  return defaults === undefined ? rest : { ...rest, default: jsonMembers(defaults) }
}

export const defaultTimeouts: UpstreamDetail['defaultTimeouts'] = timeoutsByDefault

export function proxyHintOf(row: UpstreamRecord, vault: Vault): string | null {
  if (row.proxy_sealed === null) return null
  const proxy = vault.open(row.proxy_sealed, proxyPurpose)
  return URL.canParse(proxy) ? new URL(proxy).host : '…'
}
