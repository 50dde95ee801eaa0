import { newId, type RandomBytes } from '../core/id.ts'
import { announceKeys, forgetValues } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { MemberSource } from './definition/member.ts'
import type { ConsoleRole, Membership } from './definition/user.ts'
import { putMember, removeMember } from './member-store.ts'
import { closeAllSessions } from './session-store.ts'
import { dropLinks } from './sign-in-link.ts'
import { freeAddress } from './verify-user.ts'

export interface UserSettings {
  readonly email: string
  readonly role: ConsoleRole
  readonly accounts: readonly Membership[]
  /** Of a new user; absent: `manual`. */
  readonly source?: MemberSource | undefined
  /** Undefined leaves the state unchanged. */
  readonly isSuspended?: boolean | undefined
  /** Undefined keeps the password; a new user then cannot sign in with a password. */
  readonly passwordHash: string | undefined
}

export interface UserDeps {
  readonly random: RandomBytes
  readonly nowMs: () => number
}

/** Addresses are compared case-insensitively, because people do not remember how they capitalised theirs. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/**
 * Creates the user, or updates role, password and memberships. Memberships that are not listed end, except those that
 * follow groups at the identity provider. An invited login of the same address is a separate login: none of its secrets
 * opens this one.
 */
export async function putUser(
  writing: Writing,
  deps: UserDeps,
  settings: UserSettings,
): Promise<'created' | 'changed' | 'same'> {
  const { tx } = writing
  const email = normalEmail(settings.email)
  const row = await tx
    .selectFrom('console_user')
    .select(['id', 'role', 'password_hash', 'suspended'])
    .where('email', '=', email)
    .where('invited_to', 'is', null)
    .executeTakeFirst()
  if (!row) {
    const id = newId('user', deps.random)
    const { role, passwordHash, source = 'manual' } = settings
    const suspended = settings.isSuspended === true ? 1 : 0
    const at = deps.nowMs()
    const proven = { proof: 'operator', proven_at: at }
    await freeAddress(tx, email)
    await tx
      .insertInto('console_user')
      .values({
        id,
        email,
        role,
        source,
        suspended,
        password_hash: passwordHash ?? null,
        ...proven,
        created_at: at,
      })
      .execute()
    for (const { id: accountId, source: from = 'manual', ...given } of settings.accounts)
      await putMember(writing, { userId: id, accountId, source: from, ...given })
    return 'created'
  }
  const password_hash = settings.passwordHash ?? row.password_hash
  const isSame = row.role === settings.role && row.password_hash === password_hash
  if (row.password_hash !== password_hash) {
    // Whoever sets the password can sign in as the user.
    await forgetValues(writing, row.id)
    await closeAllSessions(tx, row.id)
    await dropLinks(writing, row.id)
  }
  if (!isSame) {
    await tx
      .updateTable('console_user')
      .set({ role: settings.role, password_hash })
      .where('id', '=', row.id)
      .execute()
  }
  const { isSuspended = row.suspended === 1 } = settings
  const isStill = isSuspended === (row.suspended === 1)
  if (!isStill) await changeLogin(writing, row.id, { isSuspended })
  const hasMoved = await putMemberships(writing, row.id, settings.accounts)
  return isSame && isStill && !hasMoved ? 'same' : 'changed'
}

/** Changes to an existing login; absent members stay unchanged. */
export interface LoginChange {
  readonly role?: ConsoleRole
  readonly isSuspended?: boolean
  readonly passwordHash?: string
  readonly language?: string | null
  readonly theme?: string | null
  /** The identity that the identity provider reports. It proves the address from that moment on. Null unlinks the user. */
  readonly openId?: { readonly id: string; readonly verifiedAtMs: number } | null
}

/** Suspending a user ends all their sessions and unused links. The keys of a suspended user are refused. */
export async function changeLogin(
  writing: Writing,
  userId: string,
  change: LoginChange,
): Promise<void> {
  const { role, isSuspended, passwordHash, language, theme, openId } = change
  const columns = {
    ...(role !== undefined && { role }),
    ...(isSuspended !== undefined && { suspended: Number(isSuspended) }),
    ...(passwordHash !== undefined && { password_hash: passwordHash }),
    ...(language !== undefined && { language }),
    ...(theme !== undefined && { theme }),
    ...(openId === null && { open_id: null }),
    ...(openId && { open_id: openId.id, proof: 'open-id', proven_at: openId.verifiedAtMs }),
  }
  await writing.tx.updateTable('console_user').set(columns).where('id', '=', userId).execute()
  if (isSuspended !== undefined) await announceKeys(writing, { userId })
  if (isSuspended !== true) return
  await closeAllSessions(writing.tx, userId)
  await dropLinks(writing, userId)
}

/**
 * A membership in the list is set by hand from now on, unless the list says that groups decide: then only its limits
 * are taken from the list. The list neither starts nor ends a membership that follows groups.
 */
async function putMemberships(
  writing: Writing,
  userId: string,
  accounts: readonly Membership[],
): Promise<boolean> {
  const rows = await writing.tx
    .selectFrom('membership')
    .select(['account_id', 'source'])
    .where('user_id', '=', userId)
    .execute()
  const present = new Set(rows.map((row) => row.account_id))
  const listed = new Set(accounts.map(({ id }) => id))
  const ended = rows.filter((row) => row.source === 'manual' && !listed.has(row.account_id))
  for (const { account_id: accountId } of ended) await removeMember(writing, { userId, accountId })
  let isChanged = ended.length > 0
  for (const { id: accountId, source = 'manual', role, ...limits } of accounts) {
    const isFollowed = source === 'open-id'
    if (isFollowed && !present.has(accountId)) continue
    const decided = isFollowed ? limits : { ...limits, role, source }
    if (await putMember(writing, { userId, accountId, ...decided })) isChanged = true
  }
  return isChanged
}

/** The stored hash of a user's password; null without a password, undefined when the user does not exist. */
export async function passwordHashOf(
  engine: Engine,
  email: string,
): Promise<string | null | undefined> {
  const row = await engine.db
    .selectFrom('console_user')
    .select('password_hash')
    .where('email', '=', normalEmail(email))
    .where('invited_to', 'is', null)
    .executeTakeFirst()
  return row?.password_hash
}
