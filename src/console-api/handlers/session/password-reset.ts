import { addResetLink, resetPassword } from '../../../accounts/sign-in-link.ts'
import { fromProvider } from '../../../accounts/sign-in-ways.ts'
import { mailTexts } from '../../../outbox/mail-texts.ts'
import { enqueue } from '../../../outbox/outbox-store.ts'
import { recordAudit } from '../../../store/changes/audit.ts'
import { type Writing, write } from '../../../store/changes/write.ts'
import { hashPassword } from '../../../store/secrets/password.ts'
import type { DoneAnswer } from '../../contract.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import { resetPath } from '../../mail/sign-in-url-of.ts'
import type { MailPort } from '../../ports/gateway-ports.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer } from '../../routes/route.ts'
import { noteLockout } from './note-lockout.ts'
import { rememberDevice } from './remember-device.ts'
import { throttleName } from './throttle-name.ts'
import { tryLink } from './try-link.ts'

type RequestCall = CallOf<'POST /password-reset/request'>

interface Wanted {
  readonly email: string
  readonly account: string | undefined
}

/**
 * Answers at once and prepares the email afterwards, so that neither the answer nor its time reveals whether the address
 * has a user.
 */
export async function requestReset(call: RequestCall): Promise<JsonAnswer<DoneAnswer>> {
  const { mail } = call.deps.gateway
  if (!mail) throw refuse('conflict', 'mail_off')
  const { email, account } = await call.body()
  const { address, requestId } = call.context
  const user = throttleName({ email, invitedTo: account })
  await noteLockout(call, async () => call.throttle.countReset({ address, user }))
  call.throttle
    .inTurn('resetting', false, () => prepare(call, mail, { email, account }))
    .catch((error: unknown) => call.deps.onError?.(error, requestId))
  return { body: { isDone: true } }
}

async function prepare({ deps }: RequestCall, mail: MailPort, wanted: Wanted): Promise<void> {
  const { engine, vault, random, clock } = deps
  const nowMs = clock.nowMs()
  const user = await findOwner(deps, wanted)
  if (!user) return
  await write(engine, nowMs, async (writing) => {
    const token = await addResetLink(writing.tx, { userId: user.id, vault, random, nowMs })
    const url = `${mail.publicUrl}${resetPath(token, wanted.account)}`
    await enqueue(
      writing,
      { vault, nowMs },
      {
        purpose: 'password-reset',
        accountId: null,
        alertId: null,
        channel: 'email',
        target: wanted.email,
        content: { mail: mailTexts(user.language).passwordReset({ url }) },
      },
    )
    const action = 'user.reset-requested'
    await recordAudit(writing, { at: nowMs, actor: 'stranger', action, subject: user.id })
  })
}

/**
 * The user who may reset a password: not suspended, and not one who signs in only with the identity provider, who must
 * not get around it. An invited login is opened with its invitation first, which may have ended.
 */
async function findOwner({ engine, openId }: RequestCall['deps'], { email, account }: Wanted) {
  const users = engine.db
    .selectFrom('console_user')
    .select(['id', 'language'])
    .where('suspended', '=', 0)
    .where(({ and, or, eb }) => {
      const isOurs = eb('source', '<>', fromProvider)
      const hasPassword = eb('password_hash', 'is not', null)
      const isUnlinked = and([isOurs, eb('open_id', 'is', null)])
      return or([isUnlinked, openId ? and([isOurs, hasPassword]) : hasPassword])
    })
  if (account === undefined) {
    return users.where('email', '=', email).where('invited_to', 'is', null).executeTakeFirst()
  }
  return users
    .where('invited_email', '=', email)
    .where('invited_to', '=', account)
    .where('seen_at', 'is not', null)
    .executeTakeFirst()
}

/** Sets the password. The person then signs in with it, and with the second factor if there is one. */
export async function redeemReset(
  call: CallOf<'POST /password-reset'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { engine, vault, clock } = call.deps
  const { token, password } = await call.body()
  const done = await tryLink(call, async () => {
    const passwordHash = await call.throttle.inTurn('hashing', false, () => hashPassword(password))
    const notify = (writing: Writing, userId: string) =>
      mailNotice(call, writing, userId, 'password-set')
    return resetPassword(engine, { token, vault, nowMs: clock.nowMs(), passwordHash, notify })
  })
  if (done) return { body: { isDone: true }, cookies: await rememberDevice(call, done.userId) }
  throw new ApiRefusal(
    'link_spent',
    'This link was already used or is more than 1 hour old. Ask for a new one on the sign-in page.',
  )
}
