import { type Selectable, sql } from 'kysely'
import { type Grant, putGrants, putGroup, removeGroup } from '../../../catalog/group-store.ts'
import type { Engine } from '../../../store/engine.ts'
import { readJsonList } from '../../../store/json-list.ts'
import type { ServiceGroupTable } from '../../../store/tables.ts'
import { isObject, type JsonObject, parseJson } from '../../../wire/json.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { DoneAnswer, GroupRow, GroupsAnswer } from '../../contract.ts'
import { pageOf } from '../../pages.ts'
import {
  ifSent,
  listField,
  numberField,
  orNull,
  type Read,
  textField,
  textsField,
  wordField,
} from '../../read-fields.ts'
import { Refusal, refuse, wrongField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { factorProblem, idProblem, microOfFactor, modelsProblem } from '../../rules.ts'
import { factorText } from '../models/factor-text.ts'
import { toolsOf } from './upstreams.ts'

const pageRows = 100
type GroupRecord = Selectable<ServiceGroupTable>

export async function listGroups({
  parts,
  query,
}: CallOf<'GET /operate/groups'>): Promise<JsonAnswer<GroupsAnswer>> {
  const { db } = parts.engine
  const found = await db
    .selectFrom('service_group')
    .selectAll()
    .where('id', '>', query.after ?? '')
    .orderBy('id')
    .limit(pageRows + 1)
    .execute()
  const { rows, next } = pageOf(found, pageRows, (row) => row.id)
  return { body: { groups: await describeGroups(db, rows), next } }
}

export async function readGroup(call: SignedInCall): Promise<JsonAnswer<GroupRow>> {
  return { body: await groupOf(call.parts.engine.db, call.id) }
}

export async function createGroup(call: SignedInCall): Promise<JsonAnswer<GroupRow>> {
  const body = await call.body()
  const id = textField(idProblem)(body, 'id')
  return put(call, id, body, true)
}

export async function editGroup(call: SignedInCall): Promise<JsonAnswer<GroupRow>> {
  return put(call, call.id, await call.body(), false)
}

async function put(
  call: SignedInCall,
  id: string,
  body: JsonObject,
  isNew: boolean,
): Promise<JsonAnswer<GroupRow>> {
  const wish = {
    factor: ifSent(textField(factorProblem))(body, 'factor'),
    unsupported: ifSent(wordField(['drop', 'reject']))(body, 'unsupported'),
    unpricedFeatures: ifSent(wordField(['refuse', 'token_price']))(body, 'unpricedFeatures'),
    sharedObjects: ifSent(wordField(['refuse', 'allow']))(body, 'sharedObjects'),
    grants: ifSent(orNull(listField(readGrant)))(body, 'grants'),
    fallbacks: ifSent(fallbacksField)(body, 'fallbacks'),
  }
  await change(call, async (changing) => {
    const known = await findGroup(changing, id)
    if (isNew && known) {
      throw refuse('conflict', 'group_taken', { values: { id }, field: 'id' })
    }
    if (!isNew && !known) throw missing()
    const before = known && (await groupOf(changing.tx, id))
    await putGroup(changing, toolsOf(call), {
      id,
      factorMicro: BigInt(microOfFactor(wish.factor ?? before?.factor ?? '1') ?? 1_000_000),
      isStrict: (wish.unsupported ?? before?.unsupported) === 'reject',
      unpricedFeatures: wish.unpricedFeatures,
      sharedObjects: wish.sharedObjects,
      fallbacks: wish.fallbacks,
    })
    if (wish.grants !== undefined) {
      await checkAccounts(changing, wish.grants ?? [])
      await putGrants(changing, id, wish.grants ?? 'all')
    }
    const after = await groupOf(changing.tx, id)
    const action = isNew ? 'group.created' : 'group.changed'
    await changing.record({ action, subject: id, before, after })
  })
  return { body: await groupOf(call.parts.engine.db, id) }
}

export async function deleteGroup(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { id } = call
  await change(call, async (changing) => {
    const { tx } = changing
    if (!(await findGroup(changing, id))) throw missing()
    const before = await groupOf(tx, id)
    const route = await tx
      .selectFrom('route')
      .select('model_id')
      .where('group_id', '=', id)
      .executeTakeFirst()
    if (route) throw refuse('in_use', 'group_routed')
    const key = await tx
      .selectFrom('api_key')
      .select('name')
      .where(sql<boolean>`groups LIKE ${`%${JSON.stringify(id)}%`}`)
      .where('deleted_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (key) throw refuse('in_use', 'group_used', { values: { key: key.name } })
    await removeGroup(changing, id)
    await changing.record({ action: 'group.deleted', subject: id, before })
  })
  return { body: { isDone: true } }
}

function readGrant(entry: JsonObject): Grant {
  const until = ifSent(orNull(numberField()))(entry, 'until')
  return { accountId: textField(idProblem)(entry, 'accountId'), endsAtMs: until ?? undefined }
}

const fallbacksField: Read<Record<string, string[]>> = (body, field) => {
  const value = body[field]
  if (!isObject(value)) throw wrongField(field, 'fallbacks_wrong')
  const models = textsField(modelsProblem, idProblem)
  return Object.fromEntries(Object.keys(value).map((model) => [model, models(value, model)]))
}

async function checkAccounts({ tx }: ChangeTools, grants: readonly Grant[]): Promise<void> {
  const ids = [...new Set(grants.map(({ accountId }) => accountId))]
  if (ids.length < grants.length) throw wrongField('grants', 'accounts_twice')
  if (ids.length === 0) return
  const rows = await tx.selectFrom('account').select('id').where('id', 'in', ids).execute()
  const known = new Set(rows.map((row) => row.id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) {
    throw wrongField('grants', 'account_unknown', { id: unknown })
  }
}

function findGroup({ tx }: ChangeTools, id: string): Promise<GroupRecord | undefined> {
  return tx.selectFrom('service_group').selectAll().where('id', '=', id).executeTakeFirst()
}

function missing(): Refusal {
  return new Refusal('not_found', 'There is no such group.')
}

async function groupOf(db: Engine['db'], id: string): Promise<GroupRow> {
  const rows = await db.selectFrom('service_group').selectAll().where('id', '=', id).execute()
  const [group] = await describeGroups(db, rows)
  if (!group) throw missing()
  return group
}

async function describeGroups(db: Engine['db'], rows: readonly GroupRecord[]): Promise<GroupRow[]> {
  const ids = rows.map((row) => row.id)
  if (ids.length === 0) return []
  const grants = await db
    .selectFrom('group_grant as g')
    .leftJoin('account as a', 'a.id', 'g.account_id')
    .select(['g.group_id', 'g.account_id', 'g.ends_at', 'a.name'])
    .where('g.group_id', 'in', ids)
    .orderBy('g.account_id')
    .execute()
  const models = await db
    .selectFrom('route')
    .select(['group_id', 'model_id'])
    .distinct()
    .where('group_id', 'in', ids)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    factor: factorText(row.factor_micro),
    unsupported: row.unsupported === 'reject' ? 'reject' : 'drop',
    unpricedFeatures: row.unpriced_features === 'token_price' ? 'token_price' : 'refuse',
    sharedObjects: row.shared_objects === 'allow' ? 'allow' : 'refuse',
    grants:
      row.restricted === 0
        ? null
        : grants
            .filter((grant) => grant.group_id === row.id)
            .map((grant) => ({
              accountId: grant.account_id,
              accountName: grant.name,
              until: grant.ends_at,
            })),
    fallbacks: readFallbacks(row.fallbacks),
    modelCount: models.filter((model) => model.group_id === row.id).length,
    createdAt: row.created_at,
  }))
}

function readFallbacks(text: string): Record<string, string[]> {
  const value = parseJson(text)
  if (!isObject(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([model, list]) => [model, readJsonList(JSON.stringify(list))]),
  )
}
