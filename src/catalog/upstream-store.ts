import type { Selectable } from 'kysely'
import { complete } from '../fields/definition.ts'
import { isKept, rowOf, valuesOf } from '../store/kept-fields.ts'
import type { UpstreamTable } from '../store/tables.ts'
import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'
import { type CatalogTools, type PutResult, proxyPurpose } from './catalog-store.ts'
import { mirrorCredential, putCredentials, unbindCredentials } from './credential-store.ts'
import {
  type GivenCredential,
  type GivenUpstream,
  upstreamDefinition,
} from './definition/upstream.ts'
import { keptUpstream } from './kept-settings.ts'
import { originOf } from './origin-of.ts'
import { decodeOptions } from './upstream-options.ts'

/** What is absent is left as it is. */
export interface UpstreamInput extends Omit<GivenUpstream, 'protocol' | 'baseUrl'> {
  readonly protocol: string
  /** The vendor's own, if no other is wanted. */
  readonly baseUrl: string
  /** All that there shall be, entered for this base URL; undefined leaves those that are there as they are. */
  readonly credentials?: readonly GivenCredential[] | undefined
}

export async function putUpstream(
  writing: Writing,
  tools: CatalogTools,
  upstream: UpstreamInput,
): Promise<PutResult> {
  const { tx, announce } = writing
  const { id, baseUrl } = upstream
  const row = await tx.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
  const settings = settingsAfter(row, upstream)
  const sealed = sealProxy(tools.vault, row?.proxy_sealed ?? null, upstream.proxy)
  const isSame = row?.proxy_sealed === sealed && isKept(keptUpstream, sameText(row), settings)
  if (!isSame) {
    const columns = { ...rowOf(keptUpstream, settings), proxy_sealed: sealed }
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

type UpstreamRecord = Selectable<UpstreamTable>

function settingsAfter(row: UpstreamRecord | undefined, upstream: UpstreamInput) {
  const { vendor, protocol, baseUrl, ...given } = upstream
  const present = row && { isEnabled: row.enabled === 1, ...decodeOptions(row.settings) }
  const { isEnabled, ...options } = complete(upstreamDefinition, { vendor, ...given }, present)
  return { vendor, protocol, baseUrl, isEnabled, options }
}

/** An older version may have written the same options in another way. */
function sameText(row: UpstreamRecord): UpstreamRecord {
  return { ...row, ...rowOf(keptUpstream, valuesOf(keptUpstream, row)) }
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
  { baseUrl, proxy }: UpstreamInput,
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
