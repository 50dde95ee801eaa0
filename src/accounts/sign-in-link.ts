import type { Transaction } from 'kysely'
import type { RandomBytes } from '../core/id.ts'
import { forgetValues } from '../keys/stop-keys.ts'
import { recordAudit } from '../store/changes/audit.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { Tables } from '../store/tables/tables.ts'
import { invitationLifetimeMs } from './invitation-end.ts'
import { removePasskeysOf } from './passkey-store.ts'
import { randomToken } from './random-token.ts'
import {
  addSession,
  type BrowserSession,
  closeAllSessions,
  type NewSession,
  type SessionOrigin,
} from './session-store.ts'

const lifetimeMs = 60 * 60 * 1000
/** How long the owner of a used or expired link stays known. */
const rememberedMs = 24 * 60 * 60 * 1000

interface LinkDeps {
  readonly vault: Vault
  readonly random: RandomBytes
  readonly nowMs: number
}

interface LinkRequest extends LinkDeps {
  readonly userId: string
  /** The actor who gets the token; absent: only the person gets it, by email. */
  readonly madeBy?: string
}

/** The token of a link that the gateway gives only to its user. */
export function mintSignInLink(engine: Engine, request: LinkRequest): Promise<string> {
  const own = { ...request, madeBy: request.userId }
  return write(engine, request.nowMs, ({ tx }) => addSignInLink(tx, own))
}

/** Creates a token that signs its user in once, within an hour. Only its keyed hash is stored. */
export function addSignInLink(tx: Transaction<Tables>, request: LinkRequest): Promise<string> {
  return addLink(tx, 'sign-in-link', lifetimeMs, request)
}

/**
 * Like `addSignInLink`, for a person who has just got a login: the token works within a week, because the person reads
 * an email, or gets the link by hand, later than at a sign-in.
 */
export function addWelcomeLink(tx: Transaction<Tables>, request: LinkRequest): Promise<string> {
  return addLink(tx, 'sign-in-link', invitationLifetimeMs, request)
}

/** Creates a token that sets a new password once, within an hour. The token does not sign in. */
export function addResetLink(tx: Transaction<Tables>, request: LinkRequest): Promise<string> {
  return addLink(tx, 'password-reset', lifetimeMs, request)
}

/** Creates a token that opens an invited login once, within a week. The token is not valid as a sign-in link. */
export function addInvitationLink(tx: Transaction<Tables>, request: LinkRequest): Promise<string> {
  return addLink(tx, 'invitation', invitationLifetimeMs, request)
}

async function addLink(
  tx: Transaction<Tables>,
  kind: LinkKind,
  lastsMs: number,
  { userId, madeBy, vault, random, nowMs }: LinkRequest,
): Promise<string> {
  const token = randomToken(random)
  await tx
    .deleteFrom('sign_in_link')
    .where('expires_at', '<=', nowMs - rememberedMs)
    .execute()
  await tx
    .insertInto('sign_in_link')
    .values({
      token_hash: hashLinkToken(vault, kind, token),
      user_id: userId,
      expires_at: nowMs + lastsMs,
      made_by: madeBy ?? null,
    })
    .execute()
  return token
}

type LinkKind = 'sign-in-link' | 'invitation' | 'password-reset'

/** A link that was refused, with the reason and, if known, the owner of the link. */
export interface RefusedLink {
  readonly refused:
    | 'link-expired'
    | 'link-used'
    | 'link-unknown'
    | 'link-withdrawn'
    | 'login-disabled'
  readonly ownerId?: string
}

/** The caller's work on the owner of a used link, in the same transaction. */
type AboutOwner = (writing: Writing, userId: string) => Promise<void>

interface Redeemed extends LinkDeps, BrowserSession {
  readonly token: string
  readonly origin: SessionOrigin
  /** Called before the session is added. */
  readonly notify?: AboutOwner
  /** Whether the actor who got the link could still get one, of a login that is confined to this account. */
  readonly mayGive?: MayGive
}

export type MayGive = (
  db: Engine['db'],
  actor: string,
  invitedTo: string | null,
) => Promise<boolean>

/**
 * Exchanges the token for a session. The transaction that opens the session also deletes the link, so of two
 * simultaneous uses only one succeeds.
 */
export function redeemSignInLink(
  engine: Engine,
  redeemed: Redeemed,
): Promise<NewSession | RefusedLink> {
  return redeem(engine, 'sign-in-link', redeemed)
}

/** Like `redeemSignInLink` for an invitation: opens the login that is confined to the inviting account. */
export function redeemInvitation(
  engine: Engine,
  redeemed: Redeemed,
): Promise<NewSession | RefusedLink> {
  return redeem(engine, 'invitation', redeemed)
}

/** The login that an invitation opens. The link stays usable. */
export async function findInvited(
  { db }: Engine,
  { token, vault, nowMs }: { token: string; vault: Vault; nowMs: number },
): Promise<{ readonly email: string; readonly accountId: string } | undefined> {
  const row = await db
    .selectFrom('sign_in_link as l')
    .innerJoin('console_user as u', 'u.id', 'l.user_id')
    .select(['u.invited_email', 'u.invited_to'])
    .where('l.token_hash', '=', hashLinkToken(vault, 'invitation', token))
    .where('l.expires_at', '>', nowMs)
    .executeTakeFirst()
  if (!row?.invited_email || !row.invited_to) return undefined
  return { email: row.invited_email, accountId: row.invited_to }
}

function redeem(
  engine: Engine,
  kind: LinkKind,
  { token, origin, replaced, vault, random, nowMs, notify, mayGive }: Redeemed,
): Promise<NewSession | RefusedLink> {
  return write(engine, nowMs, async (writing) => {
    const { tx } = writing
    const taken = await takeLink(tx, kind, { token, vault, nowMs })
    if ('refused' in taken) return taken
    const { userId, madeBy, invitedTo, hasSignedIn } = taken
    const isInvited = invitedTo !== null
    // A sign-in link opens only verified logins, and an invitation opens only the login that it was made for.
    if (isInvited !== (kind === 'invitation')) return { refused: 'login-disabled', ownerId: userId }
    const isOwn = madeBy === userId
    // Whoever has got the link must not come back with it after losing the right to give one.
    if (!isOwn && madeBy !== null && (await mayGive?.(tx, madeBy, invitedTo)) === false)
      return { refused: 'link-withdrawn', ownerId: userId }
    await markUsed(tx, kind, { token, vault, nowMs, userId })
    // The person with the link may be another one than the user, who has made keys since the link exists. An invited
    // login has no other way in while its link is unused, and nobody has seen the values of a user who never signed in.
    if (!isInvited && !isOwn && hasSignedIn) await forgetValues(writing, userId)
    await recordAudit(writing, {
      at: nowMs,
      actor: userId,
      action: isInvited ? 'user.invitation-opened' : 'user.redeem-sign-in-link',
      subject: userId,
    })
    await notify?.(writing, userId)
    return addSession(tx, { userId, vault, random, nowMs, origin, replaced })
  })
}

/**
 * Sets a new password with a link, once. The user is not signed in: a second factor still applies. All sessions,
 * passkeys and other links of the user end: somebody else may have made them.
 */
export function resetPassword(
  engine: Engine,
  { passwordHash, notify, ...used }: ResetRequest,
): Promise<{ readonly userId: string } | RefusedLink> {
  const { nowMs } = used
  return write(engine, nowMs, async (writing) => {
    const { tx } = writing
    const taken = await takeLink(tx, 'password-reset', used)
    if ('refused' in taken) return taken
    const { userId } = taken
    await tx.deleteFrom('sign_in_link').where('user_id', '=', userId).execute()
    await markUsed(tx, 'password-reset', { ...used, userId })
    await closeAllSessions(tx, userId)
    const passkeys = await removePasskeysOf(tx, userId)
    await tx
      .updateTable('console_user')
      .set({ password_hash: passwordHash })
      .where('id', '=', userId)
      .execute()
    const action = 'user.reset-password'
    const before = passkeys > 0 ? { passkeys } : undefined
    await recordAudit(writing, { at: nowMs, actor: userId, action, subject: userId, before })
    await notify?.(writing, userId)
    return { userId }
  })
}

/** The unused links of a user stop working; used and expired ones stay known. */
export async function dropLinks(
  { tx, nowMs }: Pick<Writing, 'tx' | 'nowMs'>,
  userId: string,
): Promise<void> {
  await tx
    .deleteFrom('sign_in_link')
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowMs)
    .execute()
}

interface UsedLink {
  readonly token: string
  readonly vault: Vault
  readonly nowMs: number
}

interface ResetRequest extends UsedLink {
  readonly passwordHash: string
  readonly notify?: AboutOwner
}

interface TakenLink {
  readonly userId: string
  readonly madeBy: string | null
  /** The account to which an unproven login is confined. */
  readonly invitedTo: string | null
  readonly hasSignedIn: boolean
}

/** Deletes the link and returns its owner, unless the link or the owner is no longer valid. */
async function takeLink(
  tx: Transaction<Tables>,
  kind: LinkKind,
  { token, vault, nowMs }: UsedLink,
): Promise<TakenLink | RefusedLink> {
  const link = await tx
    .deleteFrom('sign_in_link')
    .where('token_hash', '=', hashLinkToken(vault, kind, token))
    .returning(['user_id', 'expires_at', 'made_by'])
    .executeTakeFirst()
  if (!link) return findUsed(tx, usedHash(vault, kind, token))
  const userId = link.user_id
  if (link.expires_at <= nowMs) return { refused: 'link-expired', ownerId: userId }
  const user = await tx
    .selectFrom('console_user')
    .select(['suspended', 'invited_to', 'seen_at'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user?.suspended !== 0) return { refused: 'login-disabled', ownerId: userId }
  const { invited_to: invitedTo, seen_at: seenAt } = user
  return { userId, madeBy: link.made_by, invitedTo, hasSignedIn: seenAt !== null }
}

async function markUsed(
  tx: Transaction<Tables>,
  kind: LinkKind,
  { token, vault, nowMs, userId }: UsedLink & { readonly userId: string },
): Promise<void> {
  await tx
    .insertInto('sign_in_link')
    .values({ token_hash: usedHash(vault, kind, token), user_id: userId, expires_at: nowMs })
    .execute()
}

async function findUsed(tx: Transaction<Tables>, tokenHash: string): Promise<RefusedLink> {
  const used = await tx
    .selectFrom('sign_in_link')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return used ? { refused: 'link-used', ownerId: used.user_id } : { refused: 'link-unknown' }
}

/**
 * A used link stays in the table as an expired row, under a hash that no valid link can have. No version accepts it.
 */
function usedHash(vault: Vault, kind: LinkKind, token: string): string {
  return vault.lookupHash(`used ${kind} ${token}`)
}

/** The prefix prevents a session token from being accepted as a link token. */
function hashLinkToken(vault: Vault, kind: LinkKind, token: string): string {
  return vault.lookupHash(`${kind} ${token}`)
}
