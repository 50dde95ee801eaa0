import { openSession } from '../../accounts/session-store.ts'
import { normalEmail } from '../../accounts/user-store.ts'
import type { Engine } from '../../store/engine.ts'
import { hashPassword, isPasswordOf } from '../../store/password.ts'
import { passwordCharactersMax, type SessionAnswer } from '../contract.ts'
import { readBody, requiredText } from '../read-body.ts'
import { Refusal } from '../refusal.ts'
import type { Answer, RouteCall } from '../route.ts'
import { answerNewSession } from './answer-new-session.ts'

const emailCharactersMax = 254

export async function signIn(call: RouteCall): Promise<Answer<SessionAnswer>> {
  const { parts, throttle, context } = call
  const body = await readBody(call.request)
  const email = normalEmail(requiredText(body, 'email', emailCharactersMax))
  const password = requiredText(body, 'password', passwordCharactersMax)
  const userId = await throttle.attempt({ address: context.address, email }, () =>
    checkPassword(parts.engine, email, password),
  )
  if (userId === undefined) {
    throw new Refusal('wrong_credentials', 'The email or the password is not right.')
  }
  const { engine, vault, random, clock } = parts
  const session = await openSession(engine, { userId, vault, random, nowMs: clock.nowMs() })
  return answerNewSession(call, session)
}

/** The id of the user whose email and password these are. */
async function checkPassword(
  engine: Engine,
  email: string,
  password: string,
): Promise<string | undefined> {
  const user = await engine.db
    .selectFrom('console_user')
    .select(['id', 'password_hash'])
    .where('email', '=', email)
    .executeTakeFirst()
  // An unknown email costs the same work as a known one, so that the time does not tell them apart.
  const hash = user?.password_hash ?? undefined
  const isRight = await isPasswordOf(password, hash ?? (await nobodysHash()))
  return hash !== undefined && isRight ? user?.id : undefined
}

let nobodys: Promise<string> | undefined

function nobodysHash(): Promise<string> {
  nobodys ??= hashPassword(crypto.randomUUID())
  return nobodys
}
