import { createUser, findUserByEmail } from '../../../accounts/create-user.ts'
import type { AccountRole, GivenLimits } from '../../../accounts/definition/member.ts'
import { changeInviter, endMember, invite } from '../../../accounts/invitations.ts'
import {
  isRoleEnough,
  listMembers,
  type Member,
  membersMax,
  putMember,
  removeMember,
} from '../../../accounts/member-store.ts'
import { addWelcomeLink } from '../../../accounts/sign-in-link.ts'
import { checkFresh } from '../../access/authorise.ts'
import { presentSource } from '../../access/groups-decide.ts'
import { type ChangeContext, change } from '../../changes/change.ts'
import { keepLastHolder } from '../../changes/keep-last-holder.ts'
import type { AccountMember, DoneAnswer, MemberAdded } from '../../contract.ts'
import { mailInvitation, mailWelcome } from '../../mail/send-link.ts'
import { invitationUrlOf, welcomeUrlOf } from '../../mail/sign-in-url-of.ts'
import { ApiRefusal, refuse } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { describeMembers } from './describe-members.ts'

/**
 * Adds a member. An owner invites: the response is the same whether or not the email has a user, and the link gives
 * access to this account only. An administrator verifies the email, and gets a sign-in link for a new user.
 */
export async function addMember(
  call: CallOf<'POST /accounts/{id}/members'>,
): Promise<JsonAnswer<MemberAdded>> {
  const { id: accountId } = call
  const request: MemberRequest = { accountId, ...(await call.body()) }
  if (request.role === 'owner') checkFresh(call.session, call.deps.clock.nowMs())
  const { userId, isAdmin } = call.session
  if (call.deps.gateway.mail && !isAdmin) call.throttle.countInvitation({ userId, ...request })
  const added = await change(call, async (changing) => {
    await makeRoom(changing, request)
    return isAdmin ? admit(call, changing, request) : ask(call, changing, request)
  })
  const { signIn, invitation, isMailed } = added
  return {
    body: {
      member: await readMember(call, added.userId),
      signInUrl: signIn === undefined ? null : welcomeUrlOf(call, signIn),
      invitationUrl: invitation === undefined ? null : invitationUrlOf(call, invitation),
      isMailed,
    },
  }
}

interface MemberRequest extends GivenLimits {
  readonly accountId: string
  readonly email: string
  readonly role: AccountRole
}

interface Added {
  readonly userId: string
  readonly signIn?: string | undefined
  readonly invitation?: string
  readonly isMailed: boolean
}

/** Considers only members of this account, whom the owner can see anyway. */
async function makeRoom(
  changing: ChangeContext,
  { accountId, email }: MemberRequest,
): Promise<void> {
  const members = await listMembers(changing.tx, accountId)
  const same = members.filter((member) => member.email === email)
  if (same.some((member) => member.isProven)) {
    throw refuse('conflict', 'member_already', { field: 'email' })
  }
  // A user who was invited by another account cannot be used here, and would be listed twice.
  for (const { userId, invitedTo } of same) {
    if (invitedTo !== accountId) await removeMember(changing, { userId, accountId })
  }
  if (same.length === 0 && members.length >= membersMax) {
    throw refuse('conflict', 'members_full', { values: { max: membersMax } })
  }
}

async function ask(
  call: SignedInCall,
  changing: ChangeContext,
  request: MemberRequest,
): Promise<Added> {
  const { vault, random } = call.deps
  const { nowMs } = changing
  const tools = { vault, random, nowMs, madeBy: call.session.userId }
  const { userId, token } = await invite(changing, tools, request)
  const { accountId: subject, ...settings } = request
  await changing.record({ action: 'member.invited', subject, after: { userId, ...settings } })
  const mail = { email: request.email, accountId: subject, token }
  const isMailed = await mailInvitation(call, changing, mail)
  return { userId, invitation: token, isMailed }
}

async function admit(
  call: SignedInCall,
  changing: ChangeContext,
  { accountId, email, ...settings }: MemberRequest,
): Promise<Added> {
  const { vault, random } = call.deps
  const { tx, nowMs } = changing
  const known = await findUserByEmail(tx, email)
  // Whoever has the link can sign in.
  if (!known) checkFresh(call.session, nowMs)
  const made = { email, role: 'member', proof: 'operator' } as const
  const userId = known?.id ?? (await createUser(changing, { random, nowMs }, made))
  await putMember(changing, { userId, accountId, ...settings })
  await changing.record({
    action: 'member.added',
    subject: accountId,
    after: { userId, email, ...settings },
  })
  if (known) return { userId, isMailed: false }
  const madeBy = call.session.userId
  const signIn = await addWelcomeLink(tx, { userId, madeBy, vault, random, nowMs })
  const isMailed = await mailWelcome(call, changing, { email, accountId, token: signIn })
  return { userId, signIn, isMailed }
}

export async function editMember(
  call: CallOf<'PATCH /accounts/{id}/members'>,
): Promise<JsonAnswer<AccountMember>> {
  const { id: accountId } = call
  const userId = call.query.user
  const edit = await call.body()
  await change(call, async (changing) => {
    const before = await needMember(changing, accountId, userId)
    const { role = before.role } = edit
    if (role !== before.role) refuseFollowed(call, before)
    if (role === 'owner' && before.role !== 'owner') checkFresh(call.session, changing.nowMs)
    await keepLastHolder(call, changing, userId, () =>
      putMember(changing, { userId, accountId, ...edit }),
    )
    if (!isRoleEnough(before.role, role))
      await changeInviter(changing, { userId, accountId }, call.session.userId)
    await changing.record({
      action: 'member.changed',
      subject: accountId,
      before: { userId, role: before.role, ...before.limits },
      after: { userId, role: before.role, ...before.limits, ...edit },
    })
  })
  return { body: await readMember(call, userId) }
}

export async function endMembership(
  call: CallOf<'DELETE /accounts/{id}/members'>,
): Promise<JsonAnswer<DoneAnswer>> {
  const { id: accountId } = call
  const userId = call.query.user
  await change(call, async (changing) => {
    const before = await needMember(changing, accountId, userId)
    refuseFollowed(call, before)
    await keepLastHolder(call, changing, userId, () => endMember(changing, { userId, accountId }))
    await changing.record({
      action: 'member.removed',
      subject: accountId,
      before: { userId, email: before.email, role: before.role },
    })
  })
  return { body: { isDone: true } }
}

/** The next sign-in would undo the change. The spending limits belong to the gateway, and can be changed. */
function refuseFollowed({ deps }: Pick<SignedInCall, 'deps'>, { source, email }: Member): void {
  if (presentSource(deps, source) === 'open-id')
    throw refuse('conflict', 'member_open_id', { values: { email } })
}

async function findMember(
  { tx }: ChangeContext,
  accountId: string,
  userId: string,
): Promise<Member | undefined> {
  return (await listMembers(tx, accountId)).find((member) => member.userId === userId)
}

async function needMember(
  changing: ChangeContext,
  accountId: string,
  userId: string,
): Promise<Member> {
  const member = await findMember(changing, accountId, userId)
  if (!member) throw new ApiRefusal('not_found', 'This member does not exist.')
  return member
}

async function readMember(call: SignedInCall, userId: string): Promise<AccountMember> {
  const { engine } = call.deps
  const members = await listMembers(engine.db, call.id)
  const member = members.find((each) => each.userId === userId)
  if (!member) throw new ApiRefusal('not_found', 'This member does not exist.')
  const [described] = await describeMembers(call.deps, call.id, [member])
  if (!described) throw new ApiRefusal('not_found', 'This member does not exist.')
  return described
}
