import { listPasskeys } from '../../../accounts/passkey-store.ts'
import { freshenSession } from '../../../accounts/session-store.ts'
import { recordAudit } from '../../../store/changes/audit.ts'
import { write } from '../../../store/changes/write.ts'
import type { DoneAnswer, PasskeyQuestion } from '../../contract.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { passkeyQuestion } from './passkey-question.ts'
import { provePasskey } from './prove-passkey.ts'
import { refuseProviderUser } from './refuse-provider-user.ts'

export async function beginPasskeyProof(call: SignedInCall): Promise<JsonAnswer<PasskeyQuestion>> {
  const { deps, session } = call
  refuseProviderUser(call)
  const passkeys = await listPasskeys(deps.engine.db, session.userId)
  const holder = { session: session.tokenHash }
  return { body: await passkeyQuestion(call, 'confirm', { holder, passkeys }) }
}

/** Renews the recent sign-in of a session with one of the user's passkeys. */
export async function reauthenticateByPasskey(
  call: CallOf<'POST /reauthenticate/passkey'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { deps, session } = call
  const { userId, tokenHash, id: sessionId } = session
  refuseProviderUser(call)
  const { name } = await provePasskey(call, await call.body(), {
    purpose: 'confirm',
    holder: { session: tokenHash },
    by: { userId, sessionId },
  })
  const nowMs = deps.clock.nowMs()
  await write(deps.engine, nowMs, (writing) =>
    recordAudit(writing, {
      at: nowMs,
      actor: userId,
      action: 'user.identity-confirmed',
      subject: userId,
      after: { address: call.context.address, passkey: name },
    }),
  )
  await freshenSession(deps.engine, tokenHash, nowMs)
  return { body: { isDone: true } }
}
