import { sql } from 'kysely'
import { createUser, findUserByEmail } from '../../../accounts/create-user.ts'
import type { UserAccount } from '../../../accounts/definition/user.ts'
import { isRoleEnough, putMembershipsOf } from '../../../accounts/member-store.ts'
import { removePasskeysOf } from '../../../accounts/passkey-store.ts'
import { removeLogin } from '../../../accounts/remove-login.ts'
import { removeTotp } from '../../../accounts/second-factor.ts'
import { closeAllSessions, closeOtherSessions } from '../../../accounts/session-store.ts'
import { addSignInLink, addWelcomeLink } from '../../../accounts/sign-in-link.ts'
import { changeLogin } from '../../../accounts/user-store.ts'
import { verifyUser } from '../../../accounts/verify-user.ts'
import { forgetValues } from '../../../keys/stop-keys.ts'
import { newestTime } from '../../../ledger/newest-time.ts'
import { knownIds } from '../../../store/rows/known-ids.ts'
import { likePattern } from '../../../store/rows/like-pattern.ts'
import { checkFresh } from '../../access/authorise.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { keepLastHolder } from '../../changes/keep-last-holder.ts'
import { pageRows, writeCursor } from '../../contract/paging.ts'
import type { DoneAnswer, UserRow, UsersAnswer, UserVouched, UserWithLink } from '../../contract.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import { mailWelcome } from '../../mail/send-link.ts'
import { signInUrlOf, welcomeUrlOf } from '../../mail/sign-in-url-of.ts'
import { refuse, unfitField } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { pageOf } from '../../rows/pages.ts'
import { describeUsers, userOf } from './describe-users.ts'

export async function listUsers(
  call: CallOf<'GET /operate/users'>,
): Promise<JsonAnswer<UsersAnswer>> {
  const { query } = call
  const { db } = call.deps.engine
  let users = db
    .selectFrom('console_user')
    .selectAll()
    .where('email', '>', query.after?.[0] ?? '')
  const search = query.search
  if (search !== undefined) {
    users = users.where(sql<boolean>`lower(email) LIKE ${likePattern(search)} ESCAPE '!'`)
  }
  if (query.role !== undefined) users = users.where('role', '=', query.role)
  if (query.suspended !== undefined) {
    users = users.where('suspended', '=', query.suspended ? 1 : 0)
  }
  if (query.account !== undefined) {
    const members = db.selectFrom('membership').select('user_id')
    users = users.where('id', 'in', members.where('account_id', '=', query.account))
  }
  const rowsMax = query.limit ?? pageRows.users
  const found = await users
    .orderBy('email')
    .limit(rowsMax + 1)
    .execute()
  const { rows, next } = pageOf(found, rowsMax, (row) => writeCursor(row.email))
  return { body: { users: await describeUsers(call, db, rows), next } }
}

export async function readUser(call: SignedInCall): Promise<JsonAnswer<UserRow>> {
  return { body: await userOf(call, call.deps.engine.db, call.id) }
}

export async function createUserRow(
  call: CallOf<'POST /operate/users'>,
): Promise<JsonAnswer<UserWithLink>> {
  const { random, vault } = call.deps
  const madeBy = call.session.userId
  const body = await call.body()
  const made = await change(call, async (changing) => {
    const { tx, nowMs } = changing
    if (await findUserByEmail(tx, body.email)) {
      throw refuse('conflict', 'email_taken', { field: 'email' })
    }
    const id = await createUser(changing, { random, nowMs }, { ...body, proof: 'operator' })
    await putAccounts(changing, id, body.accounts)
    await changing.record({ action: 'user.created', subject: id, after: body })
    const token = await addWelcomeLink(tx, { userId: id, madeBy, vault, random, nowMs })
    const mail = { email: body.email, accountId: null, token }
    return { id, token, isMailed: await mailWelcome(call, changing, mail) }
  })
  const { id, token, isMailed } = made
  return {
    body: {
      user: await userOf(call, call.deps.engine.db, id),
      signInUrl: welcomeUrlOf(call, token),
      isMailed,
    },
  }
}

export async function editUser(
  call: CallOf<'PATCH /operate/users/{id}'> | CallOf<'PUT /operate/users/{id}'>,
): Promise<JsonAnswer<UserRow>> {
  const { id, session } = call
  const body = await call.body()
  if (id === session.userId && (body.role === 'member' || body.isSuspended)) {
    throw refuse('in_use', 'own_role')
  }
  await change(call, async (changing) => {
    const { tx } = changing
    const before = await userOf(call, tx, id)
    if (isGrant(before, body)) checkFresh(session, changing.nowMs)
    if (before.proof === null && isMore(before, body)) {
      // The email already belongs to a verified user: that user is the one to change.
      const userId = await prove(changing, before)
      if (userId !== id) throw refuse('conflict', 'email_taken')
    }
    if (body.accounts) refuseFollowed(before, body.accounts)
    await keepLastHolder(call, changing, id, async () => {
      await changeLogin(changing, id, {
        role: body.role ?? before.role,
        isSuspended: body.isSuspended ?? before.isSuspended,
      })
      if (body.accounts) await putAccounts(changing, id, body.accounts)
    })
    const after = await userOf(call, tx, id)
    await changing.record({ action: 'user.changed', subject: id, before, after })
  })
  return { body: await userOf(call, call.deps.engine.db, id) }
}

export async function makeLink(call: SignedInCall): Promise<JsonAnswer<UserWithLink>> {
  const { id, deps } = call
  const { vault, random } = deps
  const madeBy = call.session.userId
  const token = await change(call, async (changing) => {
    const user = await userOf(call, changing.tx, id)
    if (user.proof === null) throw refuse('conflict', 'login_not_proven')
    if (user.isSuspended) throw refuse('conflict', 'login_suspended')
    // The link signs in whoever has it: the values of the user's keys can no longer be shown.
    if (id !== madeBy) {
      await forgetValues(changing, id)
      await mailNotice(call, changing, id, 'link-made')
    }
    await changing.record({ action: 'user.sign-in-link-made', subject: id })
    // A process whose clock is ahead must not treat the link as expired.
    const nowMs = Math.max(changing.nowMs, await newestTime({ ...deps.engine, db: changing.tx }))
    return addSignInLink(changing.tx, { userId: id, madeBy, vault, random, nowMs })
  })
  const user = await userOf(call, call.deps.engine.db, id)
  return { body: { user, signInUrl: signInUrlOf(call, token), isMailed: false } }
}

/** An administrator marks the email of an invited user as verified, and gets a sign-in link for the user. */
export async function verifyUserEmail(call: SignedInCall): Promise<JsonAnswer<UserVouched>> {
  const { id, deps } = call
  const { vault, random } = deps
  const madeBy = call.session.userId
  const verified = await change(call, async (changing) => {
    const { tx, nowMs } = changing
    const before = await userOf(call, tx, id)
    if (before.proof !== null) throw refuse('conflict', 'login_proven')
    if (before.isSuspended) throw refuse('conflict', 'login_suspended')
    const userId = await prove(changing, before)
    if (userId !== id) return { userId, token: undefined, isMailed: false }
    const made = await addWelcomeLink(tx, { userId, madeBy, vault, random, nowMs })
    const mail = { email: before.email, accountId: null, token: made }
    return { userId, token: made, isMailed: await mailWelcome(call, changing, mail) }
  })
  const { userId, token, isMailed } = verified
  return {
    body: {
      user: await userOf(call, call.deps.engine.db, userId),
      signInUrl: token === undefined ? null : welcomeUrlOf(call, token),
      isMailed,
    },
  }
}

async function prove(changing: ChangeContext, user: UserRow): Promise<string> {
  const { id, email, invitedTo, invitationEndsAt } = user
  if (invitationEndsAt !== null && invitationEndsAt <= changing.nowMs) {
    throw refuse('conflict', 'invitation_expired')
  }
  const proof = { proof: 'operator', nowMs: changing.nowMs } as const
  const userId = await verifyUser(changing, { id, email }, proof)
  const after = { userId, email, invitedTo }
  await changing.record({ action: 'user.vouched', subject: id, after })
  return userId
}

/** True if a change gives an unverified user more than the invitation did; this verifies the email. */
function isMore(
  before: UserRow,
  body: { readonly role?: string; readonly accounts?: readonly UserAccount[] },
): boolean {
  const given = new Map(before.accounts.map((each) => [each.id, each.role]))
  const isWider = (body.accounts ?? []).some(({ id, role }) => {
    const known = given.get(id)
    return known === undefined || !isRoleEnough(known, role)
  })
  return body.role === 'admin' || isWider
}

/** True if a change makes the user an administrator or an owner: as such they see what needs a recent sign-in here. */
function isGrant(
  before: UserRow,
  { role, accounts = [] }: { readonly role?: string; readonly accounts?: readonly UserAccount[] },
): boolean {
  const owned = new Set(before.accounts.filter((each) => each.role === 'owner').map(({ id }) => id))
  const isOwner = accounts.some((each) => each.role === 'owner' && !owned.has(each.id))
  return (role === 'admin' && before.role !== 'admin') || isOwner
}

export async function resetTotp(call: SignedInCall): Promise<JsonAnswer<UserRow>> {
  const { id } = call
  await change(call, async (changing) => {
    const { hasTotp } = await userOf(call, changing.tx, id)
    await removeTotp(changing, id)
    await changing.record({ action: 'user.totp-removed', subject: id })
    if (hasTotp) await afterRemoval(call, changing, 'totp-removed')
  })
  return { body: await userOf(call, call.deps.engine.db, id) }
}

export async function clearPasskeys(call: SignedInCall): Promise<JsonAnswer<UserRow>> {
  const { id } = call
  await change(call, async (changing) => {
    await userOf(call, changing.tx, id)
    const passkeys = await removePasskeysOf(changing.tx, id)
    const before = { passkeys }
    await changing.record({ action: 'user.passkeys-cleared', subject: id, before })
    if (passkeys > 0) await afterRemoval(call, changing, 'passkeys-cleared')
  })
  return { body: await userOf(call, call.deps.engine.db, id) }
}

/** The user may have lost a device that is signed in. Administrators who change their own user stay signed in. */
async function afterRemoval(
  call: SignedInCall,
  changing: ChangeContext,
  notice: 'totp-removed' | 'passkeys-cleared',
): Promise<void> {
  const { id: userId, session } = call
  await closeOtherSessions(changing.tx, { userId, tokenHash: session.tokenHash })
  await mailNotice(call, changing, userId, notice)
}

/**
 * Lets the person link another identity, for example after a change of the provider. The gateway cannot know whether it
 * is the same person, so the sessions end and the values of the user's keys can no longer be shown.
 */
export async function unlinkOpenId(call: SignedInCall): Promise<JsonAnswer<UserRow>> {
  const { id } = call
  await change(call, async (changing) => {
    const { hasOpenId } = await userOf(call, changing.tx, id)
    if (hasOpenId) {
      await changeLogin(changing, id, { openId: null })
      await closeAllSessions(changing.tx, id)
      await forgetValues(changing, id)
      await mailNotice(call, changing, id, 'open-id-removed')
    }
    await changing.record({ action: 'user.open-id-removed', subject: id })
  })
  return { body: await userOf(call, call.deps.engine.db, id) }
}

export async function deleteUser(
  call: CallOf<'DELETE /operate/users/{id}'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { id, session } = call
  if (id === session.userId) {
    throw refuse('in_use', 'own_login')
  }
  await change(call, async (changing) => {
    const before = await userOf(call, changing.tx, id)
    await keepLastHolder(call, changing, id, () => removeLogin(changing, id))
    await changing.record({ action: 'user.deleted', subject: id, before })
  })
  return { body: { isDone: true } }
}

/** A membership that follows groups must be in the list, as it is: the next sign-in would undo the change. */
function refuseFollowed({ email, accounts }: UserRow, wanted: readonly UserAccount[]): void {
  const roles = new Map(wanted.map(({ id, role }) => [id, role]))
  const isTouched = accounts.some(
    ({ id, role, source }) => source === 'open-id' && roles.get(id) !== role,
  )
  if (isTouched) throw refuse('conflict', 'member_open_id', { values: { email } })
}

async function putAccounts(
  changing: ChangeContext,
  userId: string,
  wanted: readonly UserAccount[],
): Promise<void> {
  const { tx } = changing
  const ids = wanted.map((each) => each.id)
  const known = await knownIds(tx, 'account', ids)
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) {
    throw unfitField('accounts', 'account_unknown', { id: unknown })
  }
  const memberships = wanted.map(({ id, role }) => ({ accountId: id, role }))
  await putMembershipsOf(changing, userId, memberships)
}
