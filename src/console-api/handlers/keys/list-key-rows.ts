import { type KeyOrder, listKeys, newestFirst, sortedBy } from '../../../keys/key-list.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { KeyRow, KeysAnswer } from '../../contract.ts'
import { brokenRule } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { describeKeyOf, describeKeys } from './describe-keys.ts'

export async function listKeyRows(call: CallOf<'GET /keys'>): Promise<JsonAnswer<KeysAnswer>> {
  const { deps, query, scope } = call
  const order = readOrder(query)
  const rowsMax = query.limit ?? pageRows.keys
  const nowMs = deps.clock.nowMs()
  const found = await listKeys(deps.engine, {
    accountIds: scope.accountIds,
    own: scope.own,
    after: query.after && placeIn(query.after, order),
    search: query.search,
    state: query.state && { is: query.state, nowMs },
    group: query.group,
    kind: query.kind,
    ownerId: query.user,
    order,
    rowsMax: rowsMax + 1,
  })
  const { rows, next } = pageOf(found, rowsMax, (key) =>
    writeCursor(sortedBy(key, order.sort), key.id),
  )
  return { body: { keys: await describeKeys(deps.engine, rows, nowMs), next } }
}

/** A cursor of a list in another order is invalid. */
function placeIn(
  [value, id]: readonly [string | number, string],
  { sort }: KeyOrder,
): { readonly value: string | number; readonly id: string } {
  const isText = sort === 'id' || sort === 'name'
  if (isText !== (typeof value === 'string')) throw brokenRule('after', 'cursor_wrong')
  return { value, id }
}

function readOrder({ sort, order }: CallOf<'GET /keys'>['query']): KeyOrder {
  if (sort !== undefined) return { sort, isDescending: order === 'desc' }
  return { ...newestFirst, ...(order && { isDescending: order === 'desc' }) }
}

export async function readKey({ deps, id }: SignedInCall): Promise<JsonAnswer<KeyRow>> {
  return { body: await describeKeyOf(deps.engine, id, deps.clock.nowMs()) }
}
