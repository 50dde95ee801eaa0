import { newId, type RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import { type ConsoleRole, normalEmail } from './user-store.ts'

export async function findUserByEmail(
  db: Engine['db'],
  email: string,
): Promise<{ readonly id: string } | undefined> {
  return db
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', normalEmail(email))
    .executeTakeFirst()
}

/** Somebody who has no password yet, and signs in by a link. */
export async function createUser(
  { tx }: Writing,
  tools: { readonly random: RandomBytes; readonly nowMs: number },
  user: { readonly email: string; readonly role: ConsoleRole; readonly openId?: string },
): Promise<string> {
  const id = newId('user', tools.random)
  await tx
    .insertInto('console_user')
    .values({
      id,
      email: normalEmail(user.email),
      role: user.role,
      password_hash: null,
      open_id: user.openId ?? null,
      created_at: tools.nowMs,
    })
    .execute()
  return id
}
