import { changeLogin } from '../../../accounts/user-store.ts'
import { change } from '../../change.ts'
import type { DoneAnswer } from '../../contract.ts'
import { ifSent, orNull, wordField } from '../../read-fields.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'

const language = ifSent(orNull(wordField(['en', 'zh'])))
const theme = ifSent(orNull(wordField(['light', 'dark', 'auto'])))

/** How the console looks to this person, on every device. */
export async function setPreferences(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const body = await call.body()
  const wish = { language: language(body, 'language'), theme: theme(body, 'theme') }
  const { userId } = call.session
  const before = { language: call.session.language, theme: call.session.theme }
  const after = {
    language: wish.language === undefined ? before.language : wish.language,
    theme: wish.theme === undefined ? before.theme : wish.theme,
  }
  await change(call, async (changing) => {
    await changeLogin(changing, userId, after)
    await changing.record({ action: 'user.preferences-set', subject: userId, before, after })
  })
  return { body: { isDone: true } }
}
