import { type Selectable, sql } from 'kysely'
import { type GivenGroup, type Grant, groupDefinition } from '../../../catalog/definition/group.ts'
import { putGrants, putGroup, removeGroup } from '../../../catalog/group-store.ts'
import { groupColumns } from '../../../catalog/setting-columns.ts'
import { toWire } from '../../../fields/definition.ts'
import { namesGroup } from '../../../keys/key-list.ts'
import { lowerPrioritiesWith } from '../../../keys/lower-priorities.ts'
import type { Engine } from '../../../store/engine.ts'
import { knownIds } from '../../../store/rows/known-ids.ts'
import { likePattern } from '../../../store/rows/like-pattern.ts'
import { valuesOf } from '../../../store/rows/stored-fields.ts'
import type { ServiceGroupTable } from '../../../store/tables/tables.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { putById, withBody } from '../../changes/put-by-id.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { DoneAnswer, GroupRow, GroupsAnswer } from '../../contract.ts'
import { ApiRefusal, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { toolsOf } from './upstreams.ts'

type GroupRecord = Selectable<ServiceGroupTable>

export async function listGroups({
  deps,
  query,
}: CallOf<'GET /operate/groups'>): Promise<JsonAnswer<GroupsAnswer>> {
  const { db } = deps.engine
  const rowsMax = query.limit ?? pageRows.groups
  const [after = ''] = query.after ?? []
  let groups = db.selectFrom('service_group').selectAll().where('id', '>', after)
  if (query.search !== undefined) {
    const pattern = likePattern(query.search)
    groups = groups.where(sql<boolean>`lower(id) LIKE ${pattern} ESCAPE '!'`)
  }
  const found = await groups
    .orderBy('id')
    .limit(rowsMax + 1)
    .execute()
  const { rows, next } = pageOf(found, rowsMax, (row) => writeCursor(row.id))
  return { body: { groups: await describeGroups(db, rows), next } }
}

export async function readGroup(call: SignedInCall): Promise<JsonAnswer<GroupRow>> {
  return { body: await groupOf(call.deps.engine.db, call.id) }
}

export async function createGroup(
  call: CallOf<'POST /operate/groups'>,
): Promise<JsonAnswer<GroupRow>> {
  const requested = await call.body()
  const { id } = requested
  await change(call, async (changing) => {
    if (await findGroup(changing, id)) {
      throw refuse('conflict', 'group_taken', { values: { id }, field: 'id' })
    }
    await put(call, changing, requested)
    const after = await groupOf(changing.tx, id)
    await changing.record({ action: 'group.created', subject: id, after })
  })
  return { body: await groupOf(call.deps.engine.db, id) }
}

export async function editGroup(
  call: CallOf<'PATCH /operate/groups/{id}'>,
): Promise<JsonAnswer<GroupRow>> {
  const { id } = call
  const requested = await call.body()
  await change(call, async (changing) => {
    const row = await findGroup(changing, id)
    if (!row) throw missing()
    const before = await groupOf(changing.tx, id)
    await put(call, changing, { ...valuesOf(groupColumns, row), ...requested, id })
    const after = await groupOf(changing.tx, id)
    await changing.record({ action: 'group.changed', subject: id, before, after })
  })
  return { body: await groupOf(call.deps.engine.db, id) }
}

export async function putGroupRow(
  call: CallOf<'PUT /operate/groups/{id}'>,
): Promise<JsonAnswer<GroupRow>> {
  const { id, deps } = call
  const group = await call.body()
  return putById({
    id,
    isThere: () => findGroup({ tx: deps.engine.db }, id),
    make: () => createGroup(withBody(call, { ...group, id })),
    replace: () => editGroup(withBody(call, group)),
  })
}

async function put(call: SignedInCall, changing: ChangeContext, group: GivenGroup): Promise<void> {
  const { id, grants } = group
  const { lowered } = await lowerPrioritiesWith(changing, id, () =>
    putGroup(changing, toolsOf(call), group),
  )
  for (const { id: subject, priority } of lowered) {
    const change = { before: { priority }, after: { priority: null } }
    await changing.record({ action: 'key.changed', subject, ...change })
  }
  if (grants === undefined) return
  await checkAccounts(changing, grants ?? [])
  await putGrants(changing, id, grants)
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
      .where(namesGroup(id))
      .where('deleted_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (key) throw refuse('in_use', 'group_used', { values: { key: key.name } })
    await removeGroup(changing, id)
    await changing.record({ action: 'group.deleted', subject: id, before })
  })
  return { body: { isDone: true } }
}

async function checkAccounts({ tx }: ChangeContext, grants: readonly Grant[]): Promise<void> {
  const ids = grants.map(({ accountId }) => accountId)
  const known = await knownIds(tx, 'account', ids)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) {
    throw unfitField('grants', 'account_unknown', { id: unknown })
  }
}

function findGroup(
  { tx }: { readonly tx: Engine['db'] },
  id: string,
): Promise<GroupRecord | undefined> {
  return tx.selectFrom('service_group').selectAll().where('id', '=', id).executeTakeFirst()
}

function missing(): ApiRefusal {
  return new ApiRefusal('not_found', 'This group does not exist.')
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
    ...toWire(groupDefinition, { ...valuesOf(groupColumns, row), id: row.id, grants: null }),
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
    modelCount: models.filter((model) => model.group_id === row.id).length,
    createdAt: row.created_at,
  }))
}
