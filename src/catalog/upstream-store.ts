import type { Selectable } from 'kysely'
import { complete } from '../fields/definition.ts'
import type { Writing } from '../store/changes/write.ts'
import { hasValues, rowOf, valuesOf } from '../store/rows/stored-fields.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { UpstreamTable } from '../store/tables/tables.ts'
import { type CatalogDeps, type PutResult, proxyPurpose } from './catalog-store.ts'
import { mirrorCredential, putCredentials, unbindCredentials } from './credential-store.ts'
import {
  type GivenCredential,
  type GivenUpstream,
  upstreamDefinition,
} from './definition/upstream.ts'
import { originOf } from './origin-of.ts'
import { upstreamColumns } from './setting-columns.ts'
import { decodeOptions } from './upstream-options.ts'

/** Absent members stay unchanged. */
export interface UpstreamInput extends Omit<GivenUpstream, 'protocol' | 'baseUrl'> {
  readonly protocol: string
  /** The vendor's base URL unless another one is given. */
  readonly baseUrl: string
  /** All credentials of the upstream, entered for this base URL; undefined leaves the stored credentials unchanged. */
  readonly credentials?: readonly GivenCredential[] | undefined
}

export async function putUpstream(
  writing: Writing,
  deps: CatalogDeps,
  upstream: UpstreamInput,
): Promise<PutResult> {
  const { tx, announce } = writing
  const { id, baseUrl } = upstream
  const row = await tx.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
  const settings = settingsAfter(row, upstream)
  const sealed = sealProxy(deps.vault, row?.proxy_sealed ?? null, upstream.proxy)
  const isSame = row?.proxy_sealed === sealed && hasValues(upstreamColumns, sameText(row), settings)
  if (!isSame) {
    const columns = { ...rowOf(upstreamColumns, settings), proxy_sealed: sealed }
    await tx
      .insertInto('upstream')
      .values({ id, ...columns, created_at: deps.nowMs() })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
      .execute()
  }
  if (row && isShownToOthers(deps.vault, row.proxy_sealed, upstream))
    await unbindCredentials(writing, id)
  const areSame =
    upstream.credentials === undefined ||
    !(await putCredentials(writing, deps, { id, baseUrl }, upstream.credentials))
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

/** Normalises the options, which an older version may have written in another form. */
function sameText(row: UpstreamRecord): UpstreamRecord {
  return { ...row, ...rowOf(upstreamColumns, valuesOf(upstreamColumns, row)) }
}

/** Removes an upstream with its routes and credentials. */
export async function removeUpstream({ tx, announce }: Writing, id: string): Promise<void> {
  await tx.deleteFrom('route').where('upstream_id', '=', id).execute()
  await tx.deleteFrom('upstream_credential').where('upstream_id', '=', id).execute()
  await tx.deleteFrom('upstream').where('id', '=', id).execute()
  announce('catalog', id)
}

/** Whether a new proxy could read the credentials: only HTTPS hides them from a proxy. */
function isShownToOthers(
  vault: Vault,
  sealed: string | null,
  { baseUrl, proxy }: UpstreamInput,
): boolean {
  if (typeof proxy !== 'string' || baseUrl.startsWith('https:')) return false
  return sealed === null || originOf(vault.open(sealed, proxyPurpose)) !== originOf(proxy)
}

/** Encryption gives a different text each time, so an unchanged proxy keeps its stored text. */
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
