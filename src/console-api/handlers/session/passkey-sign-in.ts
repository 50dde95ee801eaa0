import { challengeLifetimeMs } from '../../../accounts/passkey-challenges.ts'
import { findPasskey } from '../../../accounts/passkey-store.ts'
import { randomToken, tokenPattern } from '../../../accounts/random-token.ts'
import type { Engine } from '../../../store/engine.ts'
import type { PasskeyQuestion, SessionAnswer } from '../../contract.ts'
import { cookieNameOf, formatCookie, readCookie } from '../../http/console-cookie.ts'
import type { CallOf, JsonAnswer, RouteCall } from '../../routes/route.ts'
import { noteLockout } from './note-lockout.ts'
import { openSession } from './open-session.ts'
import { needParty, passkeyQuestion } from './passkey-question.ts'
import { provePasskey, wrongPasskey } from './prove-passkey.ts'
import { needsProvider } from './refuse-provider-user.ts'

const cookieName = 'tollgate_passkey'
const tokenShape = new RegExp(`^${tokenPattern}$`)
const maxAgeSeconds = challengeLifetimeMs / 1000

/** The cookie ties the challenge to this browser: nobody else can use the answer. */
export async function beginPasskeySignIn(call: RouteCall): Promise<JsonAnswer<PasskeyQuestion>> {
  needParty(call)
  await noteLockout(call, async () => call.throttle.countChallenge(call.context.address))
  const browser = randomToken(call.deps.random)
  return {
    body: await passkeyQuestion(call, 'sign-in', { holder: { browser }, passkeys: [] }),
    cookies: [formatCookie(cookieName, browser, { maxAgeSeconds, isSecure: call.isSecure })],
  }
}

/** The passkey verifies its user, so that it is both factors: no code is asked for. */
export async function signInByPasskey(
  call: CallOf<'POST /sign-in/passkey'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const answer = await call.body()
  const browser = readCookie(call.request, cookieNameOf(cookieName, call.isSecure), tokenShape)
  const holder = browser === undefined ? undefined : { browser }
  const { userId, name, ...passkey } = await provePasskey(call, answer, {
    purpose: 'sign-in',
    holder,
  })
  const check = async (db: Engine['db']) => {
    const { credentialId } = passkey
    const now = await findPasskey(db, { credentialId, rpId: needParty(call).id })
    if (now?.id !== passkey.id || now.isSuspended) throw wrongPasskey()
    if (await needsProvider(call, db, userId)) throw wrongPasskey()
  }
  const opened = await openSession(call, userId, { check, audited: { passkey: name } })
  const gone = formatCookie(cookieName, '', { maxAgeSeconds: 0, isSecure: call.isSecure })
  return { ...opened, cookies: [...(opened.cookies ?? []), gone] }
}
