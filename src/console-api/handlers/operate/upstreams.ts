import { putUpstream, removeUpstream } from '../../../catalog/upstream-store.ts'
import { storedDemoUrl } from '../../../core/upstreams/stored-demo-url.ts'
import type { Engine } from '../../../store/engine.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { putById, withBody } from '../../changes/put-by-id.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { DoneAnswer, UpstreamDetail, UpstreamsAnswer } from '../../contract.ts'
import { ApiRefusal, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import {
  defaultTimeouts,
  describeCredential,
  describeSettings,
  describeUpstream,
  proxyHintOf,
  type UpstreamRecord,
} from './describe-upstream.ts'
import { listRoutes } from './routes.ts'
import { spendOfUpstreams } from './spend-of-upstreams.ts'
import { checkCertificates, settingsAfter } from './upstream-body.ts'

export async function listUpstreams(
  call: CallOf<'GET /operate/upstreams'>,
): Promise<JsonAnswer<UpstreamsAnswer>> {
  const { deps, query } = call
  const { db } = deps.engine
  const rowsMax = query.limit ?? pageRows.upstreams
  const [after = ''] = query.after ?? []
  let upstreams = db.selectFrom('upstream').selectAll().where('id', '>', after)
  if (query.vendor !== undefined) upstreams = upstreams.where('vendor', '=', query.vendor)
  if (query.enabled !== undefined) {
    upstreams = upstreams.where('enabled', '=', query.enabled ? 1 : 0)
  }
  const found = await upstreams
    .orderBy('id')
    .limit(rowsMax + 1)
    .execute()
  const { rows, next } = pageOf(found, rowsMax, (row) => writeCursor(row.id))
  const ids = rows.map((row) => row.id)
  const spend = await spendOfUpstreams(deps.engine, deps.clock.nowMs())
  const [credentials, routes] = await Promise.all([
    ids.length === 0
      ? []
      : db.selectFrom('upstream_credential').selectAll().where('upstream_id', 'in', ids).execute(),
    db
      .selectFrom('route')
      .select(['upstream_id', ({ fn }) => fn.countAll().as('count')])
      .groupBy('upstream_id')
      .execute(),
  ])
  const counts = new Map(routes.map((row) => [row.upstream_id, Number(row.count)]))
  return {
    body: {
      upstreams: rows.map((row) =>
        describeUpstream(row, {
          credentials: credentials.filter((each) => each.upstream_id === row.id),
          routeCount: counts.get(row.id) ?? 0,
          health: deps.gateway.healthOf(row.id),
          spend,
        }),
      ),
      next,
    },
  }
}

export async function readUpstream(call: SignedInCall): Promise<JsonAnswer<UpstreamDetail>> {
  return { body: await detailOf(call, call.id) }
}

export async function createUpstream(
  call: CallOf<'POST /operate/upstreams'>,
): Promise<JsonAnswer<UpstreamDetail>> {
  const { credential, ...body } = checkCertificates(await call.body())
  const { id } = body
  const settings = settingsAfter(call.deps.gateway.vendors, { ...body, baseUrl: '' }, body)
  await change(call, async (changing) => {
    if (await findUpstream(changing, id)) {
      throw refuse('conflict', 'upstream_taken', { values: { id }, field: 'id' })
    }
    const credentials = credential ? [{ name: 'first', value: credential }] : []
    await putUpstream(changing, toolsOf(call), { ...settings, credentials })
    const after = {
      ...describeSettings(await needUpstream(changing, id)),
      hasProxy: body.proxy !== null,
      credentials: credentials.length,
    }
    await changing.record({ action: 'upstream.created', subject: id, after })
  })
  return { body: await detailOf(call, id) }
}

export async function editUpstream(
  call: CallOf<'PATCH /operate/upstreams/{id}'>,
): Promise<JsonAnswer<UpstreamDetail>> {
  const { id } = call
  const body = checkCertificates(await call.body())
  await change(call, async (changing) => {
    const row = await needUpstream(changing, id)
    const isMoved = body.baseUrl !== undefined || body.vendor !== undefined
    if (row.base_url === storedDemoUrl && isMoved) {
      throw unfitField('baseUrl', 'built_in')
    }
    const before = describeSettings(row)
    const { vendor, protocol, base_url: baseUrl } = row
    const settings =
      row.base_url === storedDemoUrl
        ? { ...body, id, vendor, protocol, baseUrl, proxy: undefined }
        : settingsAfter(call.deps.gateway.vendors, { id, vendor, protocol, baseUrl }, body)
    await putUpstream(changing, toolsOf(call), settings)
    const changed = await needUpstream(changing, id)
    const isProxyChanged = changed.proxy_sealed !== row.proxy_sealed
    await changing.record({
      action: 'upstream.changed',
      subject: id,
      before,
      after: { ...describeSettings(changed), ...(isProxyChanged && { proxyChanged: true }) },
    })
  })
  return { body: await detailOf(call, id) }
}

export async function putUpstreamRow(
  call: CallOf<'PUT /operate/upstreams/{id}'>,
): Promise<JsonAnswer<UpstreamDetail>> {
  const { id, deps } = call
  const { proxy, ...upstream } = await call.body()
  return putById({
    id,
    isThere: () => findUpstream({ tx: deps.engine.db }, id),
    make: () =>
      createUpstream(withBody(call, { ...upstream, id, proxy: proxy ?? null, credential: null })),
    replace: () =>
      editUpstream(withBody(call, proxy === undefined ? upstream : { ...upstream, proxy })),
  })
}

export async function deleteUpstream(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { id } = call
  await change(call, async (changing) => {
    const before = describeSettings(await needUpstream(changing, id))
    const routes = await listRoutes(changing.tx, { upstream: id })
    await removeUpstream(changing, id)
    await changing.record({
      action: 'upstream.deleted',
      subject: id,
      before: { ...before, routes: routes.length },
    })
  })
  return { body: { isDone: true } }
}

async function detailOf(call: Pick<SignedInCall, 'deps'>, id: string): Promise<UpstreamDetail> {
  const { engine, vault, gateway, clock } = call.deps
  const { db } = engine
  const row = await db.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw missing()
  const credentials = await db
    .selectFrom('upstream_credential')
    .selectAll()
    .where('upstream_id', '=', id)
    .orderBy('created_at')
    .orderBy('name')
    .execute()
  const routes = await listRoutes(db, { upstream: id })
  const health = gateway.healthOf(id)
  const spend = await spendOfUpstreams(engine, clock.nowMs())
  return {
    ...describeUpstream(row, { credentials, routeCount: routes.length, health, spend }),
    settings: describeSettings(row),
    defaultTimeouts,
    proxyHint: proxyHintOf(row, vault),
    credentials: credentials.map((each) => describeCredential(row, each, health)),
    routes,
    models: (health?.models ?? []).map(({ openUntilMs, firstTokenMs, ...model }) => ({
      ...model,
      openUntil: openUntilMs ?? null,
      firstTokenMs: firstTokenMs ?? null,
    })),
  }
}

export function toolsOf({ deps }: Pick<SignedInCall, 'deps'>) {
  const { vault, random, clock } = deps
  return { vault, random, nowMs: clock.nowMs }
}

function findUpstream(
  { tx }: { readonly tx: Engine['db'] },
  id: string,
): Promise<UpstreamRecord | undefined> {
  return tx.selectFrom('upstream').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function needUpstream(changing: ChangeContext, id: string): Promise<UpstreamRecord> {
  const row = await findUpstream(changing, id)
  if (!row) throw missing()
  return row
}

function missing(): ApiRefusal {
  return new ApiRefusal('not_found', 'This upstream does not exist.')
}
