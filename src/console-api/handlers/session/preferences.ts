import { changeLogin } from '../../../accounts/user-store.ts'
import { change } from '../../changes/change.ts'
import type { DoneAnswer } from '../../contract.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'

/** Language and theme of the user, for every device. */
export async function setPreferences(call: CallOf<'PATCH /me'>): Promise<JsonAnswer<DoneAnswer>> {
  const { userId } = call.session
  const before = { language: call.session.language, theme: call.session.theme }
  const after = { ...before, ...(await call.body()) }
  await change(call, async (changing) => {
    await changeLogin(changing, userId, after)
    await changing.record({ action: 'user.preferences-set', subject: userId, before, after })
  })
  return { body: { isDone: true } }
}
