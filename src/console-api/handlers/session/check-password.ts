import type { Engine } from '../../../store/engine.ts'
import { hashPassword, isPasswordOf } from '../../../store/secrets/password.ts'

/** The user to check: by typed email, or by session. */
export type Claimed =
  | { readonly userId: string }
  /** With an account: the user whom this account invited; without: the user with this verified email. */
  | { readonly email: string; readonly account: string | undefined }

export interface KnownUser {
  readonly id: string
  readonly hasTotp: boolean
  /** Whether the same password, and second factor, would still be accepted: checking them takes a while. */
  isStillGood(db: Engine['db']): Promise<boolean>
}

/** The user with this password, if the user may sign in. */
export async function checkPassword(
  engine: Engine,
  claimed: Claimed,
  password: string,
): Promise<KnownUser | undefined> {
  const user = await findClaimed(engine, claimed)
  // An unknown email costs the same work, so that timing does not reveal which emails exist.
  const hash = user?.password_hash ?? undefined
  const isRight = await isPasswordOf(password, hash ?? (await dummyHash()))
  if (hash === undefined || !isRight || !user) return undefined
  const { id, totp_sealed: totp } = user
  const isStillGood = async (db: Engine['db']) => {
    const now = await findClaimed({ db }, { userId: id })
    return now?.password_hash === hash && now.totp_sealed === totp
  }
  return { id, hasTotp: totp !== null, isStillGood }
}

export function findClaimed({ db }: Pick<Engine, 'db'>, claimed: Claimed) {
  const users = db
    .selectFrom('console_user')
    .select(['id', 'password_hash', 'totp_sealed'])
    .where('suspended', '=', 0)
  if ('userId' in claimed) return users.where('id', '=', claimed.userId).executeTakeFirst()
  const { email, account } = claimed
  if (account === undefined) return users.where('email', '=', email).executeTakeFirst()
  return users
    .where('invited_email', '=', email)
    .where('invited_to', '=', account)
    .executeTakeFirst()
}

let dummy: Promise<string> | undefined

function dummyHash(): Promise<string> {
  dummy ??= hashPassword(crypto.randomUUID())
  return dummy
}
