import { listKeys } from '../../../keys/key-list.ts'
import type { KeyRow, KeysAnswer } from '../../contract.ts'
import { pageOf, readCursor, readSearch } from '../../pages.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { describeKeyOf, describeKeys } from './describe-keys.ts'

const pageRows = 50

export async function listKeyRows(call: SignedInCall): Promise<JsonAnswer<KeysAnswer>> {
  const { parts, query, scope } = call
  const found = await listKeys(parts.engine, {
    accountIds: scope.accountIds,
    afterId: readCursor(query, 'after'),
    search: readSearch(query),
    rowsMax: pageRows + 1,
  })
  const { rows, next } = pageOf(found, pageRows, (key) => key.id)
  return { body: { keys: await describeKeys(parts.engine, rows, parts.clock.nowMs()), next } }
}

export async function readKey({ parts, id }: SignedInCall): Promise<JsonAnswer<KeyRow>> {
  return { body: await describeKeyOf(parts.engine, id, parts.clock.nowMs()) }
}
