import { closeOtherSessions } from '../../accounts/session-store.ts'
import { hashPassword } from '../../store/password.ts'
import { write } from '../../store/write.ts'
import { type DoneAnswer, passwordCharactersMax, passwordCharactersMin } from '../contract.ts'
import { readBody, requiredText } from '../read-body.ts'
import { Refusal } from '../refusal.ts'
import type { Answer, SignedInCall } from '../route.ts'

/** Sets the caller's own password, and signs the caller out everywhere else. */
export async function setPassword({
  parts,
  request,
  session,
}: SignedInCall): Promise<Answer<DoneAnswer>> {
  const password = requiredText(await readBody(request), 'password', passwordCharactersMax)
  if (password.length < passwordCharactersMin) {
    const message = `The password must have at least ${passwordCharactersMin} characters.`
    throw new Refusal('invalid_request', message)
  }
  const hash = await hashPassword(password)
  const nowMs = parts.clock.nowMs()
  const { userId } = session
  await write(parts.engine, nowMs, async ({ tx }) => {
    await tx
      .updateTable('console_user')
      .set({ password_hash: hash })
      .where('id', '=', userId)
      .execute()
    await closeOtherSessions(tx, session)
    await tx
      .insertInto('audit')
      .values({
        at: nowMs,
        actor: userId,
        action: 'user.set-password',
        subject: userId,
        before: null,
        after: null,
      })
      .execute()
  })
  return { body: { isDone: true } }
}
