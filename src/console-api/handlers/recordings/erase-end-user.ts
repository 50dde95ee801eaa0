import { eraseRecordings } from '../../../recording/erase-recordings.ts'
import { change } from '../../changes/change.ts'
import type { ErasedRecordings } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'

/** The audit log records the erasure without the end-user id: otherwise it would keep what the person wants erased. */
export async function eraseEndUser(
  call: CallOf<'POST /accounts/{id}/recordings/erase'>,
): Promise<JsonAnswer<ErasedRecordings>> {
  const { deps, id: accountId } = call
  const { engine, vault, clock } = deps
  const { endUser } = await call.body()
  await change(call, async (changing) => {
    await changing.record({ action: 'recording.erased', subject: accountId })
  })
  const erased = await eraseRecordings(engine, vault, { accountId, endUser, nowMs: clock.nowMs() })
  return { body: { erased } }
}
