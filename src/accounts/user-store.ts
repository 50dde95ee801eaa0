import { newId, type RandomBytes } from '../core/id.ts'
import { announceKeys, forgetValues } from '../keys/stop-keys.ts'
import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import type { AccountRole } from './definition/member.ts'
import type { ConsoleRole, Membership } from './definition/user.ts'
import { putMember, removeMember } from './member-store.ts'
import { freeAddress } from './prove-user.ts'
import { closeAllSessions } from './session-store.ts'

/** The role of a membership without an explicit role. */
const initialRole: AccountRole = 'member'

export interface UserSettings {
  readonly email: string
  readonly role: ConsoleRole
  readonly accounts: readonly Membership[]
  /** Undefined leaves the state unchanged. */
  readonly isSuspended?: boolean | undefined
  /** Undefined keeps the password; a new user then cannot sign in with a password. */
  readonly passwordHash: string | undefined
}

export interface UserTools {
  readonly random: RandomBytes
  readonly nowMs: () => number
}

/** Addresses are compared case-insensitively, because people do not remember how they capitalised theirs. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

/**
 * Creates the user, or updates role, password and memberships. Memberships that are not listed end. An invited login of
 * the same address is a separate login: none of its secrets opens this one.
 */
export async function putUser(
  writing: Writing,
  tools: UserTools,
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
    const id = newId('user', tools.random)
    const { role, passwordHash } = settings
    const suspended = settings.isSuspended === true ? 1 : 0
    const at = tools.nowMs()
    const proven = { proof: 'operator', proven_at: at }
    await freeAddress(tx, email)
    await tx
      .insertInto('console_user')
      .values({
        id,
        email,
        role,
        suspended,
        password_hash: passwordHash ?? null,
        ...proven,
        created_at: at,
      })
      .execute()
    await putMemberships(writing, id, settings.accounts)
    return 'created'
  }
  const password_hash = settings.passwordHash ?? row.password_hash
  const isSame = row.role === settings.role && row.password_hash === password_hash
  // Whoever sets the password can sign in as the user.
  if (row.password_hash !== password_hash) await forgetValues(writing, row.id)
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
  /** The identity that the identity provider reports. It proves the address from that moment on. */
  readonly openId?: { readonly id: string; readonly provenAtMs: number }
}

/** Suspending a user closes all their sessions. The keys of a suspended user are refused. */
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
    ...(openId && { open_id: openId.id, proof: 'open-id', proven_at: openId.provenAtMs }),
  }
  await writing.tx.updateTable('console_user').set(columns).where('id', '=', userId).execute()
  if (isSuspended !== undefined) await announceKeys(writing, { userId })
  if (isSuspended === true) await closeAllSessions(writing.tx, userId)
}

async function putMemberships(
  writing: Writing,
  userId: string,
  accounts: readonly Membership[],
): Promise<boolean> {
  const { tx } = writing
  const rows = await tx
    .selectFrom('membership')
    .select(['account_id', 'role'])
    .where('user_id', '=', userId)
    .execute()
  const known = new Map(rows.map((row) => [row.account_id, row.role]))
  const wanted = new Set(accounts.map(({ id }) => id))
  const ended = [...known.keys()].filter((id) => !wanted.has(id))
  const begun = accounts.filter(({ id }) => !known.has(id))
  const moved = accounts.filter(({ id, role }) => {
    const present = known.get(id)
    return present !== undefined && role !== undefined && role !== present
  })
  for (const accountId of ended) await removeMember(writing, { userId, accountId })
  if (begun.length > 0) {
    await tx
      .insertInto('membership')
      .values(
        begun.map(({ id, role = initialRole }) => ({ user_id: userId, account_id: id, role })),
      )
      .execute()
  }
  for (const { id: accountId, role = initialRole } of moved) {
    await putMember(writing, { userId, accountId, role })
  }
  return ended.length > 0 || begun.length > 0 || moved.length > 0
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

/** The oldest administrator. */
export async function firstAdmin(
  db: Engine['db'],
): Promise<{ id: string; email: string } | undefined> {
  return db
    .selectFrom('console_user')
    .select(['id', 'email'])
    .where('role', '=', 'admin')
    .where('invited_to', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}
