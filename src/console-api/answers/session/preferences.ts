import { preferencesDefinition } from '../../../accounts/definition/user.ts'
import { changeLogin } from '../../../accounts/user-store.ts'
import { editSchema } from '../../../fields/definition.ts'
import { change } from '../../change.ts'
import type { DoneAnswer } from '../../contract.ts'
import { readBy } from '../../read-fields.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'

const preferences = editSchema(preferencesDefinition)

/** How the console looks to this person, on every device. */
export async function setPreferences(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { userId } = call.session
  const before = { language: call.session.language, theme: call.session.theme }
  const after = { ...before, ...readBy(preferences, await call.body()) }
  await change(call, async (changing) => {
    await changeLogin(changing, userId, after)
    await changing.record({ action: 'user.preferences-set', subject: userId, before, after })
  })
  return { body: { isDone: true } }
}
