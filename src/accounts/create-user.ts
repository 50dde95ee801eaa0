import { newId, type RandomBytes } from '../core/id.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { MemberSource } from './definition/member.ts'
import type { ConsoleRole, Proof } from './definition/user.ts'
import { normalEmail } from './user-store.ts'
import { freeAddress } from './verify-user.ts'

/** The login whose verified address this is. */
export async function findUserByEmail(
  db: Engine['db'],
  email: string,
): Promise<{ readonly id: string } | undefined> {
  return db
    .selectFrom('console_user')
    .select('id')
    .where('email', '=', normalEmail(email))
    .where('invited_to', 'is', null)
    .executeTakeFirst()
}

/**
 * Creates a login without a password, with a verified address. Its owner signs in with a link or with
 * OpenID.
 */
export async function createUser(
  { tx }: Writing,
  tools: { readonly random: RandomBytes; readonly nowMs: number },
  user: {
    readonly email: string
    readonly role: ConsoleRole
    readonly proof: Proof
    readonly openId?: string
    readonly source?: MemberSource
  },
): Promise<string> {
  const id = newId('user', tools.random)
  const email = normalEmail(user.email)
  await freeAddress(tx, email)
  await tx
    .insertInto('console_user')
    .values({
      id,
      email,
      role: user.role,
      password_hash: null,
      open_id: user.openId ?? null,
      proof: user.proof,
      source: user.source ?? 'manual',
      proven_at: tools.nowMs,
      created_at: tools.nowMs,
    })
    .execute()
  return id
}
