import {
  changeCredential,
  credentialColumns,
  removeCredential,
  renewCredential,
} from '../../../catalog/credential-store.ts'
import { originOf } from '../../../catalog/origin-of.ts'
import type { Engine } from '../../../store/engine.ts'
import { hasValues, valuesOf } from '../../../store/rows/stored-fields.ts'
import type { UpstreamCredentialTable } from '../../../store/tables/tables.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import type { CredentialRow, DoneAnswer } from '../../contract.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { describeCredential } from './describe-upstream.ts'
import { needUpstream, toolsOf } from './upstreams.ts'

export async function addCredential(
  call: CallOf<'POST /operate/upstreams/{id}/credentials'>,
): Promise<JsonAnswer<CredentialRow>> {
  const body = await call.body()
  const row = await change(call, async (changing) => {
    const upstream = await needUpstream(changing, call.id)
    if (await findByName(changing, upstream.id, body.name)) throw taken(body.name)
    const owner = { id: upstream.id, baseUrl: upstream.base_url }
    await renewCredential(changing, toolsOf(call), owner, body)
    const existing = await findByName(changing, upstream.id, body.name)
    if (existing) await changeCredential(changing, owner, { ...body, id: existing.id })
    const made = await findByName(changing, upstream.id, body.name)
    await changing.record({
      action: 'credential.added',
      subject: upstream.id,
      after: made && shown(made),
    })
    return made
  })
  return { body: await describe(call, row) }
}

export async function readCredential(call: SignedInCall): Promise<JsonAnswer<CredentialRow>> {
  const row = await needCredential({ tx: call.deps.engine.db }, call.id)
  return { body: await describe(call, row) }
}

/** Creates or replaces the credential of this name. Sending it again has no further effect. */
export async function putCredential(
  call: CallOf<'PUT /operate/upstreams/{id}/credentials'>,
): Promise<JsonAnswer<CredentialRow>> {
  const body = await call.body()
  const row = await change(call, async (changing) => {
    const upstream = await needUpstream(changing, call.id)
    const owner = { id: upstream.id, baseUrl: upstream.base_url }
    const before = await findByName(changing, upstream.id, body.name)
    const isStale = before && originOf(before.origin) !== originOf(owner.baseUrl)
    // A credential of another host is entered again, for the current one.
    if (isStale) await removeCredential(changing, owner, before.id)
    const isRenewed = await renewCredential(changing, toolsOf(call), owner, body)
    const existing = await findByName(changing, upstream.id, body.name)
    const isSwitched = existing && !hasValues(credentialColumns, existing, body)
    if (isSwitched) await changeCredential(changing, owner, { ...body, id: existing.id })
    const made = await findByName(changing, upstream.id, body.name)
    if (isRenewed || isSwitched) {
      await changing.record({
        action: before ? 'credential.changed' : 'credential.added',
        subject: upstream.id,
        ...(before && { before: shown(before) }),
        after: made && shown(made),
      })
    }
    return { made, isNew: before === undefined }
  })
  const answer = await describe(call, row.made)
  return row.isNew ? { body: answer, status: 201 } : { body: answer }
}

export async function editCredential(
  call: CallOf<'PATCH /operate/credentials/{id}'>,
): Promise<JsonAnswer<CredentialRow>> {
  const body = await call.body()
  const row = await change(call, async (changing) => {
    const before = await needCredential(changing, call.id)
    const upstream = await needUpstream(changing, before.upstream_id)
    const owner = { id: upstream.id, baseUrl: upstream.base_url }
    const nextName = body.name ?? before.name
    const other = await findByName(changing, upstream.id, nextName)
    if (other && other.id !== before.id) throw taken(nextName)
    if (body.value !== undefined) {
      // Entered again for the current host, whatever the value is.
      await removeCredential(changing, owner, before.id)
      const renewed = { name: nextName, value: body.value }
      await renewCredential(changing, toolsOf(call), owner, renewed)
    }
    const present =
      body.value === undefined ? before : await findByName(changing, owner.id, nextName)
    const { value: _, ...settings } = body
    const next = { ...valuesOf(credentialColumns, before), ...settings }
    if (present) await changeCredential(changing, owner, { ...next, id: present.id })
    const after = await findByName(changing, upstream.id, nextName)
    await changing.record({
      action: 'credential.changed',
      subject: upstream.id,
      before: shown(before),
      after: after && shown(after),
    })
    return after
  })
  return { body: await describe(call, row) }
}

export async function deleteCredential(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await change(call, async (changing) => {
    const before = await needCredential(changing, call.id)
    const upstream = await needUpstream(changing, before.upstream_id)
    const owner = { id: upstream.id, baseUrl: upstream.base_url }
    await removeCredential(changing, owner, before.id)
    await changing.record({
      action: 'credential.deleted',
      subject: upstream.id,
      before: shown(before),
    })
  })
  return { body: { isDone: true } }
}

function shown(row: UpstreamCredentialTable) {
  return { id: row.id, hint: row.hint, ...valuesOf(credentialColumns, row) }
}

function findByName(
  { tx }: ChangeContext,
  upstreamId: string,
  wanted: string,
): Promise<UpstreamCredentialTable | undefined> {
  return tx
    .selectFrom('upstream_credential')
    .selectAll()
    .where('upstream_id', '=', upstreamId)
    .where('name', '=', wanted)
    .executeTakeFirst()
}

async function needCredential(
  { tx }: { readonly tx: Engine['db'] },
  id: string,
): Promise<UpstreamCredentialTable> {
  const row = await tx
    .selectFrom('upstream_credential')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new ApiRefusal('not_found', 'This credential does not exist.')
  return row
}

async function describe(
  { deps }: Pick<SignedInCall, 'deps'>,
  row: UpstreamCredentialTable | undefined,
): Promise<CredentialRow> {
  const upstream = await deps.engine.db
    .selectFrom('upstream')
    .selectAll()
    .where('id', '=', row?.upstream_id ?? '')
    .executeTakeFirst()
  if (!row || !upstream) throw new ApiRefusal('not_found', 'This credential does not exist.')
  return describeCredential(upstream, row, deps.gateway.healthOf(upstream.id))
}

function taken(wanted: string): ApiRefusal {
  return refuse('conflict', 'credential_taken', { values: { id: wanted }, field: 'name' })
}
