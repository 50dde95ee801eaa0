import { type KeyOrder, listKeys, newestFirst } from '../../../keys/key-list.ts'
import { type KeyRow, type KeysAnswer, keySorts } from '../../contract.ts'
import { pageOf, readCursor, readParameter, readSearch } from '../../pages.ts'
import { wrongField } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { describeKeyOf, describeKeys } from './describe-keys.ts'

const pageRows = 50

export async function listKeyRows(call: SignedInCall): Promise<JsonAnswer<KeysAnswer>> {
  const { parts, query, scope } = call
  const found = await listKeys(parts.engine, {
    accountIds: scope.accountIds,
    afterId: readCursor(query, 'after'),
    search: readSearch(query),
    order: readOrder(query),
    rowsMax: pageRows + 1,
  })
  const { rows, next } = pageOf(found, pageRows, (key) => key.id)
  return { body: { keys: await describeKeys(parts.engine, rows, parts.clock.nowMs()), next } }
}

function readOrder(query: URLSearchParams): KeyOrder {
  const wished = readParameter(query, 'sort')
  const way = readParameter(query, 'order')
  if (way !== undefined && way !== 'asc' && way !== 'desc') {
    throw wrongField('order', 'word_wrong', { words: 'asc, desc' })
  }
  if (wished === undefined) return { ...newestFirst, ...(way && { isDescending: way === 'desc' }) }
  const sort = keySorts.find((each) => each === wished)
  if (sort === undefined) throw wrongField('sort', 'word_wrong', { words: keySorts.join(', ') })
  return { sort, isDescending: way === 'desc' }
}

export async function readKey({ parts, id }: SignedInCall): Promise<JsonAnswer<KeyRow>> {
  return { body: await describeKeyOf(parts.engine, id, parts.clock.nowMs()) }
}
