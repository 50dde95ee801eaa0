import type { Transaction } from 'kysely'
import type { RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Tables } from '../store/tables.ts'
import type { Vault } from '../store/vault.ts'
import { write } from '../store/write.ts'
import { addSession, type NewSession, type SessionPlace } from './session-store.ts'

const tokenBytes = 32
const lifetimeMs = 60 * 60 * 1000

interface LinkParts {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
}

interface LinkWish extends LinkParts {
  readonly userId: string
}

/** A token that signs its user in once, within an hour. Only its keyed hash is kept. */
export function mintSignInLink(engine: Engine, wish: LinkWish): Promise<string> {
  return write(engine, wish.nowMs, ({ tx }) => addSignInLink(tx, wish))
}

export async function addSignInLink(
  tx: Transaction<Tables>,
  { userId, vault, random, nowMs }: LinkWish,
): Promise<string> {
  const token = Buffer.from(random(tokenBytes)).toString('base64url')
  await tx.deleteFrom('sign_in_link').where('expires_at', '<=', nowMs).execute()
  await tx
    .insertInto('sign_in_link')
    .values({
      token_hash: hashLinkToken(vault, token),
      user_id: userId,
      expires_at: nowMs + lifetimeMs,
    })
    .execute()
  return token
}

/**
 * Trades the token for a session. The link is deleted by the transaction that opens the session, so of two
 * people who open it at the same moment one gets in. Undefined when it is unknown, used or too old.
 */
export function redeemSignInLink(
  engine: Engine,
  {
    token,
    place,
    vault,
    random,
    nowMs,
  }: LinkParts & { readonly token: string; readonly place: SessionPlace },
): Promise<NewSession | undefined> {
  return write(engine, nowMs, async ({ tx }) => {
    const link = await tx
      .deleteFrom('sign_in_link')
      .where('token_hash', '=', hashLinkToken(vault, token))
      .returning(['user_id', 'expires_at'])
      .executeTakeFirst()
    if (!link || link.expires_at <= nowMs) return undefined
    const user = await tx
      .selectFrom('console_user')
      .select('suspended')
      .where('id', '=', link.user_id)
      .executeTakeFirst()
    if (user?.suspended !== 0) return undefined
    await tx
      .insertInto('audit')
      .values({
        at: nowMs,
        actor: link.user_id,
        action: 'user.redeem-sign-in-link',
        subject: link.user_id,
        before: null,
        after: null,
      })
      .execute()
    return addSession(tx, { userId: link.user_id, vault, random, nowMs, place })
  })
}

/** The prefix keeps a session's token from ever being taken for a link's. */
function hashLinkToken(vault: Vault, token: string): string {
  return vault.lookupHash(`sign-in-link ${token}`)
}
