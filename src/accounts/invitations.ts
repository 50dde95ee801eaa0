import { newId, type RandomBytes } from '../core/id.ts'
import { forgetValues } from '../keys/stop-keys.ts'
import type { Writing } from '../store/changes/write.ts'
import { type Engine, TransientStoreError } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import type { AccountRole, GivenLimits } from './definition/member.ts'
import { invitationEndMs } from './invitation-end.ts'
import { effectiveRole, putMember, readAccountRole, removeMember } from './member-store.ts'
import { mergeLogin } from './merge-login.ts'
import { removeLogin } from './remove-login.ts'
import { addInvitationLink, type MayGive } from './sign-in-link.ts'
import { clearLogin } from './verify-user.ts'

/** A person with more invitations sees only the first ones. */
const invitationsMax = 20
/** Invitations that are read to find these: some may have ended. */
const invitationsReadMax = 1_000

export interface Invitation {
  readonly accountId: string
  readonly accountName: string
  readonly role: AccountRole
}

interface InviteRequest extends GivenLimits {
  readonly accountId: string
  /** In normal form; see `normalEmail`. */
  readonly email: string
  readonly role: AccountRole
}

/**
 * Invites an address that is not verified into one account: creates a login that is confined to this account, and a
 * link that opens the login. The function does not check whether the address has a login of its own, so that the
 * response cannot reveal it. A repeated invitation gets the new role and a new link. Everything else that opens the
 * login ends, because the inviter may have set it with an earlier link, and the values of the login's keys can no longer
 * be shown.
 */
export async function invite(
  writing: Writing,
  tools: {
    readonly vault: Vault
    readonly random: RandomBytes
    readonly nowMs: number
    readonly madeBy: string
  },
  { accountId, email, ...settings }: InviteRequest,
): Promise<{ readonly userId: string; readonly token: string }> {
  const { tx } = writing
  const known = await tx
    .selectFrom('console_user')
    .select('id')
    .where('invited_email', '=', email)
    .where('invited_to', '=', accountId)
    .executeTakeFirst()
  const userId = known?.id ?? newId('user', tools.random)
  if (known) {
    await forgetValues(writing, userId)
    await clearLogin(tx, userId)
    // Nobody has opened the new invitation.
    await tx
      .updateTable('console_user')
      .set({ invited_by: tools.madeBy, invited_at: tools.nowMs, seen_at: null })
      .where('id', '=', userId)
      .execute()
  } else {
    const made = await tx
      .insertInto('console_user')
      .values({
        id: userId,
        // An email address contains no space, so this value never equals the address of a verified login.
        email: `${email} ${userId}`,
        invited_email: email,
        invited_to: accountId,
        invited_by: tools.madeBy,
        invited_at: tools.nowMs,
        role: 'member',
        password_hash: null,
        created_at: tools.nowMs,
      })
      .onConflict((conflict) => conflict.columns(['invited_email', 'invited_to']).doNothing())
      .executeTakeFirst()
    // Another request has invited the address since the look-up; the retry treats this one as the second invitation.
    if (made.numInsertedOrUpdatedRows === 0n) throw new TransientStoreError('invited at once')
  }
  await putMember(writing, { userId, accountId, ...settings })
  return { userId, token: await addInvitationLink(tx, { ...tools, userId }) }
}

/** The invitation depends from now on on this actor, who has given it a higher role. */
export async function changeInviter(
  { tx }: Pick<Writing, 'tx'>,
  { userId, accountId }: { readonly userId: string; readonly accountId: string },
  inviter: string,
): Promise<void> {
  await tx
    .updateTable('console_user')
    .set({ invited_by: inviter })
    .where('id', '=', userId)
    .where('invited_to', '=', accountId)
    .execute()
}

/** The accounts whose invitation to this address is not accepted yet. */
export async function listInvitations(
  db: Engine['db'],
  email: string,
  rule: WaitingRule,
): Promise<Invitation[]> {
  const rows = await invitationsOf(db, email).limit(invitationsReadMax).execute()
  const invitations: Invitation[] = []
  for (const row of rows) {
    if (invitations.length === invitationsMax) break
    const role = await roleGiven(db, row, rule)
    if (role === undefined) continue
    invitations.push({ accountId: row.account_id, accountName: row.name, role })
  }
  return invitations
}

/** Moves the memberships and keys of the invited login to the verified login, and deletes the invited login. */
export async function acceptInvitation(
  writing: Writing,
  { userId, email, accountId }: { userId: string; email: string; accountId: string },
  mayGive: MayGive,
): Promise<boolean> {
  const invited = await findInvitation(writing, email, accountId)
  return invited !== undefined && accept(writing, invited, userId, mayGive)
}

async function accept(
  writing: Writing,
  invited: WaitingInvitation,
  userId: string,
  mayGive: MayGive,
): Promise<boolean> {
  const { tx, nowMs } = writing
  const role = await roleGiven(tx, invited, { mayGive, nowMs })
  if (role === undefined) return false
  const { id, account_id: accountId } = invited
  await putMember(writing, { userId: id, accountId, role })
  await mergeLogin(writing, id, userId)
  return true
}

interface WaitingRule {
  readonly mayGive: MayGive
  readonly nowMs: number
}

/**
 * The role that an invitation still gives. An invitation ends after a week, and when the inviter may no longer invite;
 * a person who has opened it before keeps the role that they have as an unverified user.
 */
async function roleGiven(
  db: Engine['db'],
  invited: WaitingInvitation,
  { mayGive, nowMs }: WaitingRule,
): Promise<AccountRole | undefined> {
  const { account_id: accountId, invited_by: inviter } = invited
  const isInTime = nowMs < invitationEndMs(invited)
  if (isInTime && (inviter === null || (await mayGive(db, inviter, accountId))))
    return readAccountRole(invited.role)
  return invited.seen_at === null ? undefined : effectiveRole(invited, accountId)
}

export async function declineInvitation(
  writing: Writing,
  { email, accountId }: { email: string; accountId: string },
): Promise<boolean> {
  const invited = await findInvitation(writing, email, accountId)
  if (invited) await removeLogin(writing, invited.id)
  return invited !== undefined
}

/** Accepts all invitations of an address. Called when its owner proves the address with a first sign-in. */
export async function acceptAll(
  writing: Writing,
  { userId, email }: { readonly userId: string; readonly email: string },
  mayGive: MayGive,
): Promise<void> {
  for (const each of await invitationsOf(writing.tx, email).execute()) {
    await accept(writing, each, userId, mayGive)
  }
}

/** Ends a membership. An invited login that loses its account is deleted. */
export async function endMember(
  writing: Writing,
  { userId, accountId }: { readonly userId: string; readonly accountId: string },
): Promise<void> {
  await removeMember(writing, { userId, accountId })
  const invited = await writing.tx
    .selectFrom('console_user')
    .select('id')
    .where('id', '=', userId)
    .where('invited_to', '=', accountId)
    .executeTakeFirst()
  if (invited) await removeLogin(writing, userId)
}

function findInvitation({ tx }: Writing, email: string, accountId: string) {
  return invitationsOf(tx, email).where('u.invited_to', '=', accountId).executeTakeFirst()
}

type WaitingInvitation = Awaited<ReturnType<ReturnType<typeof invitationsOf>['execute']>>[number]

function invitationsOf(db: Engine['db'], email: string) {
  return db
    .selectFrom('console_user as u')
    .innerJoin('membership as m', (join) =>
      join.onRef('m.user_id', '=', 'u.id').onRef('m.account_id', '=', 'u.invited_to'),
    )
    .innerJoin('account as a', 'a.id', 'm.account_id')
    .select([
      'u.id',
      'u.invited_by',
      'u.invited_at',
      'u.created_at',
      'u.seen_at',
      'm.account_id',
      'm.role',
      'a.name',
    ])
    .where('u.invited_email', '=', email)
    .where('u.suspended', '=', 0)
    .orderBy('a.name')
    .orderBy('a.id')
}
