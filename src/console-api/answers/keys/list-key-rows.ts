import { type KeyOrder, listKeys, newestFirst } from '../../../keys/key-list.ts'
import type { KeyRow, KeysAnswer } from '../../contract.ts'
import { pageOf } from '../../pages.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../route.ts'
import { describeKeyOf, describeKeys } from './describe-keys.ts'

const pageRows = 50

export async function listKeyRows(call: CallOf<'GET /keys'>): Promise<JsonAnswer<KeysAnswer>> {
  const { parts, query, scope } = call
  const found = await listKeys(parts.engine, {
    accountIds: scope.accountIds,
    afterId: query.after,
    search: query.search,
    order: readOrder(query),
    rowsMax: pageRows + 1,
  })
  const { rows, next } = pageOf(found, pageRows, (key) => key.id)
  return { body: { keys: await describeKeys(parts.engine, rows, parts.clock.nowMs()), next } }
}

function readOrder({ sort, order }: CallOf<'GET /keys'>['query']): KeyOrder {
  if (sort !== undefined) return { sort, isDescending: order === 'desc' }
  return { ...newestFirst, ...(order && { isDescending: order === 'desc' }) }
}

export async function readKey({ parts, id }: SignedInCall): Promise<JsonAnswer<KeyRow>> {
  return { body: await describeKeyOf(parts.engine, id, parts.clock.nowMs()) }
}
