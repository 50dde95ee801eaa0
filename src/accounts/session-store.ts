import type { Transaction } from 'kysely'
import type { RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import type { Tables } from '../store/tables.ts'
import type { Vault } from '../store/vault.ts'
import { write } from '../store/write.ts'

const tokenBytes = 32
const dayMs = 24 * 60 * 60 * 1000
/** A session that nobody uses ends after this time … */
const idleMs = 7 * dayMs
/** … and one that is used every day still ends after this one. */
export const sessionLifetimeMs = 30 * dayMs
/** The end is moved only when it has come this much nearer: not every click is a write. */
const renewalStepMs = 60 * 60 * 1000

export interface Session {
  readonly tokenHash: string
  readonly userId: string
  readonly email: string
  /** Any word but "admin" is a member: a role that this version does not know is not a licence. */
  readonly isAdmin: boolean
  readonly hasPassword: boolean
  readonly createdAtMs: number
}

export interface NewSession {
  readonly userId: string
  /** Goes into the cookie and nowhere else; the database has its keyed hash. */
  readonly token: string
}

interface SessionParts {
  readonly userId: string
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
}

export function openSession(engine: Engine, parts: SessionParts): Promise<NewSession> {
  return write(engine, parts.nowMs, ({ tx }) => addSession(tx, parts))
}

export async function addSession(
  tx: Transaction<Tables>,
  { userId, vault, random, nowMs }: SessionParts,
): Promise<NewSession> {
  const token = Buffer.from(random(tokenBytes)).toString('base64url')
  await tx.deleteFrom('session').where('expires_at', '<=', nowMs).execute()
  await tx
    .insertInto('session')
    .values({
      token_hash: hashSessionToken(vault, token),
      user_id: userId,
      created_at: nowMs,
      expires_at: nowMs + idleMs,
    })
    .execute()
  return { userId, token }
}

export async function findSession(
  engine: Engine,
  { token, vault, nowMs }: { token: string; vault: Vault; nowMs: number },
): Promise<Session | undefined> {
  const tokenHash = hashSessionToken(vault, token)
  const row = await engine.db
    .selectFrom('session')
    .innerJoin('console_user', 'console_user.id', 'session.user_id')
    .select(['user_id', 'email', 'role', 'password_hash', 'session.created_at', 'expires_at'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
  if (!row) return undefined
  const endsAtMs = Math.min(nowMs + idleMs, row.created_at + sessionLifetimeMs)
  if (endsAtMs - row.expires_at >= renewalStepMs) await renewSession(engine, tokenHash, endsAtMs)
  return {
    tokenHash,
    userId: row.user_id,
    email: row.email,
    isAdmin: row.role === 'admin',
    hasPassword: row.password_hash !== null,
    createdAtMs: row.created_at,
  }
}

async function renewSession(engine: Engine, tokenHash: string, endsAtMs: number): Promise<void> {
  await engine.db
    .updateTable('session')
    .set({ expires_at: endsAtMs })
    .where('token_hash', '=', tokenHash)
    .execute()
}

export async function closeSession(engine: Engine, tokenHash: string): Promise<void> {
  await engine.db.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
}

/** Signs the user out everywhere but here: what a changed password is for. */
export async function closeOtherSessions(
  tx: Transaction<Tables>,
  { userId, tokenHash }: Session,
): Promise<void> {
  await tx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('token_hash', '<>', tokenHash)
    .execute()
}

function hashSessionToken(vault: Vault, token: string): string {
  return vault.lookupHash(`session ${token}`)
}
