import { newId, type RandomBytes } from '../core/id.ts'
import type { Nano } from '../core/money.ts'
import type { Vault } from '../store/vault.ts'
import type { Writing } from '../store/write.ts'

export const credentialPurpose = 'upstream credential'

export type PutResult = 'created' | 'changed' | 'same'

export interface CatalogTools {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: () => number
}

export interface ModelSettings {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
}

export interface PriceSettings {
  readonly inputNano: Nano
  readonly cacheReadNano: Nano
  readonly cacheWrite5mNano: Nano
  readonly cacheWrite1hNano: Nano
  readonly outputNano: Nano
  readonly requestNano: Nano
}

export interface UpstreamSettings {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  readonly credential: string | undefined
}

export async function putGroup(
  { tx, announce }: Writing,
  tools: CatalogTools,
  group: { id: string; factorMicro: bigint; isStrict?: boolean },
): Promise<PutResult> {
  const columns = {
    factor_micro: Number(group.factorMicro),
    unsupported: group.isStrict === true ? 'reject' : 'drop',
  }
  const row = await tx
    .selectFrom('service_group')
    .select(['factor_micro', 'unsupported'])
    .where('id', '=', group.id)
    .executeTakeFirst()
  const isSame =
    row?.factor_micro === columns.factor_micro && row.unsupported === columns.unsupported
  if (isSame) return 'same'
  await tx
    .insertInto('service_group')
    .values({ id: group.id, ...columns, created_at: tools.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
  announce('catalog', group.id)
  return row ? 'changed' : 'created'
}

export async function putModel(
  { tx, announce }: Writing,
  tools: CatalogTools,
  model: ModelSettings,
): Promise<PutResult> {
  const columns = {
    display_name: model.displayName,
    owned_by: model.ownedBy,
    context_tokens: model.contextTokens ?? null,
    max_output_tokens: model.maxOutputTokens,
  }
  const row = await tx.selectFrom('model').selectAll().where('id', '=', model.id).executeTakeFirst()
  const isSame =
    row?.display_name === columns.display_name &&
    row.owned_by === columns.owned_by &&
    row.context_tokens === columns.context_tokens &&
    row.max_output_tokens === columns.max_output_tokens
  if (isSame) return 'same'
  await tx
    .insertInto('model')
    .values({ id: model.id, ...columns, created_at: tools.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
  announce('catalog', model.id)
  return row ? 'changed' : 'created'
}

/** A price is never edited: one that differs from the version in force becomes a new version from now on. */
export async function putPrice(
  { tx, announce }: Writing,
  tools: CatalogTools,
  modelId: string,
  price: PriceSettings,
): Promise<PutResult> {
  const columns = {
    input_nano: price.inputNano,
    cache_read_nano: price.cacheReadNano,
    cache_write_5m_nano: price.cacheWrite5mNano,
    cache_write_1h_nano: price.cacheWrite1hNano,
    output_nano: price.outputNano,
    request_nano: price.requestNano,
  }
  const row = await tx
    .selectFrom('price_version')
    .selectAll()
    .where('model_id', '=', modelId)
    .orderBy('valid_from', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const names = Object.keys(columns) as (keyof typeof columns)[]
  if (row && names.every((name) => row[name] === columns[name])) return 'same'
  const validFrom = Math.max(tools.nowMs(), (row?.valid_from ?? 0) + 1)
  await tx
    .insertInto('price_version')
    .values({
      id: newId('price', tools.random),
      model_id: modelId,
      valid_from: validFrom,
      ...columns,
    })
    .execute()
  announce('catalog', modelId)
  return row ? 'changed' : 'created'
}

export async function putUpstream(
  { tx, announce }: Writing,
  tools: CatalogTools,
  upstream: UpstreamSettings,
): Promise<PutResult> {
  const row = await tx
    .selectFrom('upstream')
    .selectAll()
    .where('id', '=', upstream.id)
    .executeTakeFirst()
  const columns = {
    vendor: upstream.vendor,
    protocol: upstream.protocol,
    base_url: upstream.baseUrl,
  }
  const known =
    row === undefined || row.credential_sealed === null
      ? undefined
      : tools.vault.open(row.credential_sealed, credentialPurpose)
  const isSame =
    row?.vendor === columns.vendor &&
    row.protocol === columns.protocol &&
    row.base_url === columns.base_url &&
    known === upstream.credential
  if (isSame) return 'same'
  const credential_sealed =
    upstream.credential === undefined
      ? null
      : tools.vault.seal(upstream.credential, credentialPurpose)
  await tx
    .insertInto('upstream')
    .values({ id: upstream.id, ...columns, credential_sealed, created_at: tools.nowMs() })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ ...columns, credential_sealed }))
    .execute()
  announce('catalog', upstream.id)
  return row ? 'changed' : 'created'
}

export interface RouteSettings {
  readonly groupId: string
  readonly modelId: string
  readonly upstreamModel: string
  readonly priority: number
  readonly weight: number
}

/** Makes the routes of one upstream exactly these: what is not listed any more is gone. */
export async function putRoutes(
  { tx, announce }: Writing,
  upstreamId: string,
  routes: readonly RouteSettings[],
): Promise<PutResult> {
  const rows = await tx
    .selectFrom('route')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .execute()
  const wanted = routes.map((route) => ({
    group_id: route.groupId,
    model_id: route.modelId,
    upstream_id: upstreamId,
    upstream_model: route.upstreamModel,
    priority: route.priority,
    weight: route.weight,
  }))
  if (sortedText(rows) === sortedText(wanted)) return 'same'
  await tx.deleteFrom('route').where('upstream_id', '=', upstreamId).execute()
  if (wanted.length > 0) await tx.insertInto('route').values(wanted).execute()
  announce('catalog', upstreamId)
  return rows.length > 0 ? 'changed' : 'created'
}

function sortedText(rows: readonly object[]): string {
  return rows
    .map((row) =>
      JSON.stringify(Object.entries(row).sort(([left], [right]) => (left < right ? -1 : 1))),
    )
    .sort()
    .join('\n')
}
