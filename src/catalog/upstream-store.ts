import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { type CatalogTools, type PutResult, proxyPurpose } from './catalog-store.ts'
import {
  type CredentialSettings,
  mirrorCredential,
  putCredentials,
  unbindCredentials,
} from './credential-store.ts'
import { originOf } from './origin-of.ts'
import {
  changeOptions,
  decodeOptions,
  encodeOptions,
  type OptionChanges,
} from './upstream-options.ts'

export interface UpstreamSettings {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /** All that there shall be, entered for this base URL; undefined leaves those that are there as they are. */
  readonly credentials?: readonly CredentialSettings[] | undefined
  readonly options?: OptionChanges | undefined
  /** An address with its user and password; null: none; undefined leaves it as it is. */
  readonly proxy?: string | null | undefined
  readonly isEnabled?: boolean | undefined
}

export async function putUpstream(
  writing: Writing,
  tools: CatalogTools,
  upstream: UpstreamSettings,
): Promise<PutResult> {
  const { tx, announce } = writing
  const { id, baseUrl } = upstream
  const row = await tx.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
  const columns = {
    vendor: upstream.vendor,
    protocol: upstream.protocol,
    base_url: baseUrl,
    settings: encodeOptions(
      changeOptions(decodeOptions(row?.settings ?? '{}'), upstream.options ?? {}),
    ),
    enabled: upstream.isEnabled === undefined ? (row?.enabled ?? 1) : Number(upstream.isEnabled),
    proxy_sealed: sealProxy(tools.vault, row?.proxy_sealed ?? null, upstream.proxy),
  }
  const isSame =
    row?.vendor === columns.vendor &&
    row.protocol === columns.protocol &&
    row.base_url === columns.base_url &&
    encodeOptions(decodeOptions(row.settings)) === columns.settings &&
    row.enabled === columns.enabled &&
    row.proxy_sealed === columns.proxy_sealed
  if (!isSame) {
    await tx
      .insertInto('upstream')
      .values({ id, ...columns, created_at: tools.nowMs() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute()
  }
  if (row && isShownToOthers(tools.vault, row.proxy_sealed, upstream))
    await unbindCredentials(writing, id)
  const areSame =
    upstream.credentials === undefined ||
    !(await putCredentials(writing, tools, { id, baseUrl }, upstream.credentials))
  if (isSame && areSame) return 'same'
  await mirrorCredential(writing, { id, baseUrl })
  announce('catalog', id)
  return row ? 'changed' : 'created'
}

/** With its routes and credentials. */
export async function removeUpstream({ tx, announce }: Writing, id: string): Promise<void> {
  await tx.deleteFrom('route').where('upstream_id', '=', id).execute()
  await tx.deleteFrom('upstream_credential').where('upstream_id', '=', id).execute()
  await tx.deleteFrom('upstream').where('id', '=', id).execute()
  announce('catalog', id)
}

/** Whether a proxy that was not there before would read what is sent: only what is encrypted passes it unseen. */
function isShownToOthers(
  vault: Vault,
  sealed: string | null,
  { baseUrl, proxy }: UpstreamSettings,
): boolean {
  if (typeof proxy !== 'string' || baseUrl.startsWith('https:')) return false
  return sealed === null || originOf(vault.open(sealed, proxyPurpose)) !== originOf(proxy)
}

/** A text is sealed differently each time; one that says the same is kept. */
function sealProxy(
  vault: Vault,
  sealed: string | null,
  proxy: string | null | undefined,
): string | null {
  if (proxy === undefined) return sealed
  if (proxy === null) return null
  const isSame = sealed !== null && vault.open(sealed, proxyPurpose) === proxy
  return isSame ? sealed : vault.seal(proxy, proxyPurpose)
}
