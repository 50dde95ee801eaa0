import type { Engine } from '../../../store/engine.ts'
import { hashPassword, isPasswordOf } from '../../../store/password.ts'

export interface KnownUser {
  readonly id: string
  readonly hasTotp: boolean
}

/** The user whose email and password these are, if they may sign in. */
export async function checkPassword(
  { db }: Engine,
  email: string,
  password: string,
): Promise<KnownUser | undefined> {
  const user = await db
    .selectFrom('console_user')
    .select(['id', 'password_hash', 'totp_sealed'])
    .where('email', '=', email)
    .where('suspended', '=', 0)
    .executeTakeFirst()
  // An unknown email costs the same work as a known one, so that the time does not tell them apart.
  const hash = user?.password_hash ?? undefined
  const isRight = await isPasswordOf(password, hash ?? (await nobodysHash()))
  if (hash === undefined || !isRight || !user) return undefined
  return { id: user.id, hasTotp: user.totp_sealed !== null }
}

let nobodys: Promise<string> | undefined

function nobodysHash(): Promise<string> {
  nobodys ??= hashPassword(crypto.randomUUID())
  return nobodys
}
