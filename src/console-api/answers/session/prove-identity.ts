import { spendSecondFactor } from '../../../accounts/second-factor.ts'
import { ifSent, textField } from '../../read-fields.ts'
import { Refusal } from '../../refusal.ts'
import type { RouteCall } from '../../route.ts'
import { passwordCharactersMax } from '../../rules.ts'
import { checkPassword, type KnownUser } from './check-password.ts'

const codeCharactersMax = 40

/** The user with this email, if the body has their password, and a code of their second factor if there is one. */
export async function proveIdentity(call: RouteCall, email: string): Promise<KnownUser> {
  const { parts, throttle, context } = call
  const { engine, vault, clock } = parts
  const body = await call.body()
  const password = textField(undefined, passwordCharactersMax)(body, 'password')
  const code = ifSent(textField(undefined, codeCharactersMax))(body, 'code')
  const tools = { vault, nowMs: clock.nowMs() }
  let isCodeWrong = false
  const user = await throttle.attempt({ address: context.address, email }, async () => {
    const found = await checkPassword(engine, email, password)
    if (!found?.hasTotp || code === undefined) return found
    if (await spendSecondFactor(engine, tools, found.id, code)) return found
    isCodeWrong = true
    return undefined
  })
  if (isCodeWrong) throw new Refusal('wrong_code', 'This code is not right.', { field: 'code' })
  if (!user) {
    throw new Refusal('wrong_credentials', 'The email or the password is not right.', {
      field: 'password',
    })
  }
  if (user.hasTotp && code === undefined) {
    throw new Refusal('code_needed', 'Enter the code of your authenticator app.')
  }
  return user
}
