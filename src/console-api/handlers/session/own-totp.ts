import {
  confirmTotp,
  consumeSecondFactor,
  removeTotp,
  startTotp,
} from '../../../accounts/second-factor.ts'
import { closeOtherSessions } from '../../../accounts/session-store.ts'
import { base32, totpUrl } from '../../../accounts/totp.ts'
import type { SignInAttempt } from '../../access/sign-in-throttle.ts'
import { change } from '../../changes/change.ts'
import type { DoneAnswer, TotpConfirmed, TotpStart } from '../../contract.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { throttleName } from './throttle-name.ts'

const issuer = 'Tollgate'

export async function beginTotp(call: SignedInCall): Promise<JsonAnswer<TotpStart>> {
  const { deps, session } = call
  const secret = await change(call, async (changing) => {
    await changing.record({ action: 'user.totp-started', subject: session.userId })
    return startTotp(changing, deps, session.userId)
  })
  return { body: { secret: base32(secret), url: totpUrl(secret, session.email, issuer) } }
}

export async function finishTotp(
  call: CallOf<'POST /totp/confirm'>,
): Promise<JsonAnswer<TotpConfirmed>> {
  const { deps, session, throttle } = call
  const { code: given } = await call.body()
  const { vault, random } = deps
  const codes = await throttle.attempt(attemptOf(call), () =>
    change(call, async (changing) => {
      const tools = { vault, random, nowMs: changing.nowMs }
      const made = await confirmTotp(changing, tools, session.userId, given)
      if (!made) return undefined
      await closeOtherSessions(changing.tx, session)
      await changing.record({ action: 'user.totp-set', subject: session.userId })
      await mailNotice(call, changing, session.userId, 'totp-set')
      return made
    }),
  )
  if (!codes) throw wrongCode('The code does not match. Enter the code that the app shows now.')
  return { body: { recoveryCodes: codes } }
}

export async function endTotp(call: CallOf<'POST /totp/remove'>): Promise<JsonAnswer<DoneAnswer>> {
  const { deps, session, throttle } = call
  const { code: given } = await call.body()
  const tools = { vault: deps.vault, nowMs: deps.clock.nowMs() }
  const isRight = await throttle.attempt(attemptOf(call), async () =>
    (await consumeSecondFactor(deps.engine, tools, session.userId, given)) ? true : undefined,
  )
  if (!isRight) throw wrongCode('The code is wrong or was already used.')
  await change(call, async (changing) => {
    await removeTotp(changing, session.userId)
    await closeOtherSessions(changing.tx, session)
    await changing.record({ action: 'user.totp-removed', subject: session.userId })
    await mailNotice(call, changing, session.userId, 'totp-removed')
  })
  return { body: { isDone: true } }
}

function attemptOf({ context, session }: SignedInCall): SignInAttempt {
  return { address: context.address, user: throttleName(session), device: session.id }
}

function wrongCode(message: string): ApiRefusal {
  return new ApiRefusal('wrong_code', message, { field: 'code' })
}
