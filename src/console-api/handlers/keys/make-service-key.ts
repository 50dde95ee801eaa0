import { deleteResponses } from '../../../conversations/response-store.ts'
import { makeServiceKey } from '../../../keys/make-service-key.ts'
import { change } from '../../changes/change.ts'
import type { KeyWithValue } from '../../contract.ts'
import { refuse } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { needKey } from './change-keys.ts'
import { describeKeyOf } from './describe-keys.ts'

/**
 * Keeps the key of a user who has left, with its limits and its spending, as a service key with a new value. The
 * responses that the user stored are deleted: the person who gets the new value must not read them.
 */
export async function convertToServiceKey(call: SignedInCall): Promise<JsonAnswer<KeyWithValue>> {
  const { deps, id } = call
  const value = await change(call, async (changing) => {
    const { ownerId, isRunning } = await needKey(changing, id)
    if (ownerId === null) throw refuse('conflict', 'key_is_service')
    if (isRunning) throw refuse('conflict', 'owner_active')
    const minted = await makeServiceKey(changing, deps, id)
    await deleteResponses(changing, id)
    await changing.record({
      action: 'key.converted',
      subject: id,
      before: { ownerId },
      after: { ownerId: null },
    })
    return minted
  })
  return { body: { key: await describeKeyOf(deps.engine, id, deps.clock.nowMs()), value } }
}
