import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { openContent, type RecordedContent } from './content.ts'
import { endUserHash } from './end-user-hash.ts'

type Db = Engine['db']

/** Everything except the bodies and the end user, who are encrypted. */
export interface RecordingHead {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly protocol: string
  readonly model: string | null
  readonly status: number
  readonly requestBytes: number
  readonly responseBytes: number
}

export interface RecordingFilter {
  readonly accountId: string
  /** Only keys of this user; undefined: all keys. */
  readonly keyOwnerId?: string | undefined
  readonly requestId?: string | undefined
  readonly keyId?: string | undefined
  readonly endUser?: string | undefined
  /** Request ids from this one on, and before that one. */
  readonly fromId?: string | undefined
  readonly beforeId?: string | undefined
}

const headColumns = [
  'r.request_id as requestId',
  'r.account_id as accountId',
  'r.key_id as keyId',
  'r.protocol',
  'r.model',
  'r.status',
  'r.request_bytes as requestBytes',
  'r.response_bytes as responseBytes',
] as const

/** Newest first. */
export async function listRecordings(
  db: Db,
  vault: Vault,
  filter: RecordingFilter,
  rowsMax: number,
): Promise<RecordingHead[]> {
  const { accountId, keyOwnerId, requestId, keyId, endUser, fromId, beforeId } = filter
  let rows = db
    .selectFrom('recording as r')
    .select(headColumns)
    .where('r.account_id', '=', accountId)
    .orderBy('r.request_id', 'desc')
    .limit(rowsMax)
  if (requestId !== undefined) rows = rows.where('r.request_id', '=', requestId)
  if (keyId !== undefined) rows = rows.where('r.key_id', '=', keyId)
  if (fromId !== undefined) rows = rows.where('r.request_id', '>=', fromId)
  if (beforeId !== undefined) rows = rows.where('r.request_id', '<', beforeId)
  if (keyOwnerId !== undefined) {
    rows = rows.where('r.key_id', 'in', (keys) =>
      keys.selectFrom('api_key').select('id').where('owner_user_id', '=', keyOwnerId),
    )
  }
  if (endUser !== undefined) {
    const hash = endUserHash(vault, accountId, endUser)
    rows = rows.where((is) =>
      is.or([is('end_user_hash', '=', hash), is('other_user_hash', '=', hash)]),
    )
  }
  return rows.execute()
}

/** The head and the content; undefined when the request was not recorded. */
export async function findRecording(
  db: Db,
  vault: Vault,
  requestId: string,
): Promise<{ readonly head: RecordingHead; readonly content: RecordedContent } | undefined> {
  const row = await db
    .selectFrom('recording as r')
    .select([...headColumns, 'r.content_sealed'])
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  if (!row) return undefined
  const { content_sealed: sealed, ...head } = row
  return { head, content: await openContent(vault, sealed) }
}
