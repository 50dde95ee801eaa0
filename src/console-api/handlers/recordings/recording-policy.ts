import { toWire } from '../../../fields/definition.ts'
import type { OwnKeys } from '../../../keys/key-list.ts'
import {
  type RecordingPolicy,
  recordingPolicyDefinition,
} from '../../../recording/definition/policy.ts'
import { changePolicy, findPolicy } from '../../../recording/policy-store.ts'
import type { Engine } from '../../../store/engine.ts'
import { readerScope } from '../../access/authorise-recordings.ts'
import { change } from '../../changes/change.ts'
import type { RecordingState } from '../../contract.ts'
import { ApiRefusal, refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { ownKeyIds } from '../usage/own-key-ids.ts'

const dayMs = 24 * 60 * 60_000

/**
 * Every member may know what is recorded. Only owners of the account learn which keys of others there are, and the size
 * of all recordings, which grows with what others send.
 */
export async function readRecording(
  call: Pick<SignedInCall, 'deps' | 'id' | 'session' | 'scope'>,
): Promise<JsonAnswer<RecordingState>> {
  const { deps, id, scope } = call
  const { db } = deps.engine
  const { storedBytes, ...policy } = await findPolicy(db, id)
  const { own } = scope
  const keyIds = own ? await ownAmong(db, own, policy.keyIds) : policy.keyIds
  return {
    body: {
      ...toWire(recordingPolicyDefinition, { ...policy, keyIds }),
      isAllowed: deps.recording.isRecordingAllowed,
      storedBytes: own ? null : storedBytes,
      storedBytesMax: deps.recording.recordingAccountBytesMax,
      retentionDaysMax: deps.recording.recordingRetentionMs / dayMs,
      mayRead: await readerScope(db, call, id).then(() => true, isRefused),
    },
  }
}

async function ownAmong(
  db: Engine['db'],
  own: OwnKeys,
  keyIds: readonly string[],
): Promise<readonly string[]> {
  const ownIds = new Set((await ownKeyIds(db, own)).map((key) => key.id))
  return keyIds.filter((id) => ownIds.has(id))
}

function isRefused(error: unknown): false {
  if (error instanceof ApiRefusal) return false
  throw error
}

export async function changeRecording(
  call: CallOf<'PATCH /accounts/{id}/recording'>,
): Promise<JsonAnswer<RecordingState>> {
  const { deps, id } = call
  const edit = await call.body()
  const isOn = edit.scope !== undefined && edit.scope !== 'off'
  if (isOn && !deps.recording.isRecordingAllowed) throw refuse('conflict', 'recording_forbidden')
  await change(call, async (changing) => {
    const { storedBytes: _stored, ...before } = await findPolicy(changing.tx, id)
    if (edit.keyIds) await checkKeys(changing.tx, id, edit.keyIds)
    await changePolicy(changing, id, edit)
    const after: RecordingPolicy = { ...before, ...edit }
    await changing.record({ action: 'recording.changed', subject: id, before, after })
  })
  return readRecording(call)
}

async function checkKeys(
  db: Engine['db'],
  accountId: string,
  keyIds: readonly string[],
): Promise<void> {
  if (keyIds.length === 0) return
  const rows = await db
    .selectFrom('api_key')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', keyIds)
    .execute()
  const known = new Set(rows.map((row) => row.id))
  const unknown = keyIds.find((id) => !known.has(id))
  if (unknown !== undefined) throw unfitField('keyIds', 'key_unknown', { id: unknown })
}
