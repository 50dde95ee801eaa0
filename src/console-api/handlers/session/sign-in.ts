import { addSession } from '../../../accounts/session-store.ts'
import { recordAudit } from '../../../store/audit.ts'
import { write } from '../../../store/write.ts'
import type { SessionAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../route.ts'
import { answerNewSession, placeOf } from './answer-new-session.ts'
import { guessedName } from './guessed-name.ts'
import { proveIdentity } from './prove-identity.ts'

export async function signIn(call: CallOf<'POST /sign-in'>): Promise<JsonAnswer<SessionAnswer>> {
  const { email, account, ...proof } = await call.body()
  const user = await proveIdentity(call, proof, {
    claimed: { email, account },
    user: guessedName({ email, invitedTo: account }),
  })
  const { engine, vault, random, clock } = call.deps
  const nowMs = clock.nowMs()
  const session = await write(engine, nowMs, async (writing) => {
    await recordAudit(writing, {
      at: nowMs,
      actor: user.id,
      action: 'user.signed-in',
      subject: user.id,
      after: { address: call.context.address },
    })
    return addSession(writing.tx, { userId: user.id, vault, random, nowMs, place: placeOf(call) })
  })
  return answerNewSession(call, session)
}
