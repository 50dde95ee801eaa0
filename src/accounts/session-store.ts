import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { RandomBytes } from '../core/id.ts'
import type { Engine } from '../store/engine.ts'
import { fixedQuery } from '../store/rows/fixed-query.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { Tables } from '../store/tables/tables.ts'
import type { MemberSource } from './definition/member.ts'
import { readSource } from './member-store.ts'
import { randomToken } from './random-token.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** An unused session ends after this time. */
const idleMs = 7 * dayMs
/** A session ends after this time even if it is used every day. */
export const sessionLifetimeMs = 30 * dayMs
/** The last use of a session is written at most this often, so that not every click causes a write. */
const seenStepMs = 5 * minuteMs
const agentCharactersMax = 300

export interface Session {
  /** Identifies the session to its owner; the token cannot be derived from the id. */
  readonly id: string
  readonly tokenHash: string
  readonly userId: string
  readonly email: string
  /** The account to which a login with an unverified address is confined; undefined for a verified login. */
  readonly invitedTo: string | undefined
  /** Every role except "admin" is a member: an unknown role of another version grants no rights. */
  readonly isAdmin: boolean
  readonly hasPassword: boolean
  readonly hasTotp: boolean
  /** Whether the user is linked to an identity at the provider. */
  readonly hasOpenId: boolean
  /** True: the identity provider created this user, so only the provider decides about the sign-in. */
  readonly source: MemberSource
  readonly language: string | null
  readonly theme: string | null
  readonly createdAtMs: number
  /** When the user last confirmed their identity. */
  readonly authenticatedAtMs: number
}

export interface NewSession {
  readonly userId: string
  /** Only the cookie carries the token; the database stores its keyed hash. */
  readonly token: string
}

/** The address and program with which a session was opened, so that its owner can recognise the session. */
export interface SessionOrigin {
  readonly address: string
  readonly agent: string | null
  /** Whether the browser uses https. Absent: it does not. */
  readonly isSecure?: boolean
}

interface SessionDeps {
  readonly userId: string
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
  readonly origin: SessionOrigin
  /** When the user proved their identity, if not now. */
  readonly authenticatedAtMs?: number
}

/** What a new session needs to know about the browser: see `addSession`. */
export interface BrowserSession {
  /** The session that the browser had until now. Its cookie is replaced, so the user could no longer end it. */
  readonly replaced?: string | undefined
}

export async function addSession(
  tx: Transaction<Tables>,
  {
    userId,
    vault,
    random,
    nowMs,
    origin,
    replaced,
    authenticatedAtMs = nowMs,
  }: SessionDeps & BrowserSession,
): Promise<NewSession> {
  const value = randomToken(random)
  // The token of one kind of cookie is not accepted in the other.
  const token = origin.isSecure ? `h.${value}` : value
  await tx.deleteFrom('session').where('expires_at', '<=', nowMs).execute()
  if (replaced !== undefined) await closeSession({ db: tx }, replaced)
  await tx
    .insertInto('session')
    .values({
      token_hash: hashSessionToken(vault, token),
      user_id: userId,
      created_at: nowMs,
      expires_at: nowMs + idleMs,
      authenticated_at: authenticatedAtMs,
      seen_at: nowMs,
      address: origin.address,
      agent: keptAgent(origin),
    })
    .execute()
  await tx.updateTable('console_user').set({ seen_at: nowMs }).where('id', '=', userId).execute()
  return { userId, token }
}

/** Whether the user has a session from the same address with the same program. */
export async function hasSessionFrom(
  tx: Transaction<Tables>,
  { userId, nowMs, origin }: Pick<SessionDeps, 'userId' | 'nowMs' | 'origin'>,
): Promise<boolean> {
  const sessions = await tx
    .selectFrom('session')
    .select(['address', 'agent'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowMs)
    .execute()
  const agent = keptAgent(origin)
  return sessions.some((each) => each.address === origin.address && each.agent === agent)
}

function keptAgent({ agent }: SessionOrigin): string | null {
  return agent?.toWellFormed().slice(0, agentCharactersMax) ?? null
}

/** The session of a token, whose use is recorded; undefined as in `readSession`. */
export async function findSession(
  engine: Engine,
  { token, vault, nowMs }: { token: string; vault: Vault; nowMs: number },
): Promise<Session | undefined> {
  const tokenHash = hashSessionToken(vault, token)
  const found = await readSession(engine.db, tokenHash, nowMs)
  if (found && nowMs - found.seenAtMs >= seenStepMs) {
    const { userId, createdAtMs } = found
    const endsAtMs = Math.min(nowMs + idleMs, createdAtMs + sessionLifetimeMs)
    await noteSeen(engine, tokenHash, { userId, endsAtMs, nowMs })
  }
  return found
}

const selectSession = fixedQuery((db, { tokenHash, nowMs }: { tokenHash: string; nowMs: number }) =>
  db
    .selectFrom('session as s')
    .innerJoin('console_user as u', 'u.id', 's.user_id')
    .select(['s.user_id', 's.created_at', 's.expires_at', 's.authenticated_at', 's.seen_at'])
    .select(['u.email', 'u.role', 'u.password_hash', 'u.totp_sealed', 'u.language', 'u.theme'])
    .select(['u.invited_email', 'u.invited_to', 'u.source', 'u.open_id'])
    .where('s.token_hash', '=', tokenHash)
    .where('s.expires_at', '>', nowMs)
    .where('u.suspended', '=', 0),
)

/** Undefined when the session has ended or its user may no longer sign in. */
export async function readSession(
  db: Engine['db'],
  tokenHash: string,
  nowMs: number,
): Promise<(Session & { readonly seenAtMs: number }) | undefined> {
  const [row] = await selectSession(db, { tokenHash, nowMs })
  if (!row) return undefined
  return {
    id: sessionIdOf(tokenHash),
    tokenHash,
    userId: row.user_id,
    email: row.invited_email ?? row.email,
    invitedTo: row.invited_to ?? undefined,
    isAdmin: row.role === 'admin' && row.invited_to === null,
    hasPassword: row.password_hash !== null,
    hasTotp: row.totp_sealed !== null,
    hasOpenId: row.open_id !== null,
    source: readSource(row.source),
    language: row.language,
    theme: row.theme,
    createdAtMs: row.created_at,
    authenticatedAtMs: row.authenticated_at,
    seenAtMs: row.seen_at,
  }
}

async function noteSeen(
  { db }: Engine,
  tokenHash: string,
  seen: { userId: string; endsAtMs: number; nowMs: number },
): Promise<void> {
  await db
    .updateTable('session')
    .set({ expires_at: seen.endsAtMs, seen_at: seen.nowMs })
    .where('token_hash', '=', tokenHash)
    .execute()
  await db
    .updateTable('console_user')
    .set({ seen_at: seen.nowMs })
    .where('id', '=', seen.userId)
    .execute()
}

/** Records that the user of this session has confirmed their identity again. */
export async function freshenSession(
  { db }: Engine,
  tokenHash: string,
  nowMs: number,
): Promise<void> {
  await db
    .updateTable('session')
    .set({ authenticated_at: nowMs })
    .where('token_hash', '=', tokenHash)
    .execute()
}

export interface SessionListing {
  readonly id: string
  readonly tokenHash: string
  readonly createdAtMs: number
  readonly seenAtMs: number
  readonly address: string | null
  readonly agent: string | null
  /** Whether the browser uses https. Absent: it does not. */
  readonly isSecure?: boolean
}

/** The open sessions of a user, last used first. */
export async function listSessions(
  { db }: Engine,
  userId: string,
  nowMs: number,
): Promise<SessionListing[]> {
  const rows = await db
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowMs)
    .orderBy('seen_at', 'desc')
    .limit(200)
    .execute()
  return rows.map((row) => ({
    id: sessionIdOf(row.token_hash),
    tokenHash: row.token_hash,
    createdAtMs: row.created_at,
    seenAtMs: row.seen_at,
    address: row.address,
    agent: row.agent,
  }))
}

export async function closeSession({ db }: Pick<Engine, 'db'>, tokenHash: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', tokenHash).execute()
}

export async function closeAllSessions(tx: Transaction<Tables>, userId: string): Promise<void> {
  await tx.deleteFrom('session').where('user_id', '=', userId).execute()
}

/** Closes all other sessions of the user, after each change of how the user signs in. */
export async function closeOtherSessions(
  tx: Transaction<Tables>,
  { userId, tokenHash }: Pick<Session, 'userId' | 'tokenHash'>,
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

function sessionIdOf(tokenHash: string): string {
  return createHash('sha256').update(`session id ${tokenHash}`).digest('base64url').slice(0, 22)
}
