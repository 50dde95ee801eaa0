import { createUser, findUserByEmail } from '../../../accounts/create-user.ts'
import {
  type AccountRole,
  accountRoles,
  listMembers,
  type Member,
  putMember,
  removeMember,
} from '../../../accounts/member-store.ts'
import { addSignInLink } from '../../../accounts/sign-in-link.ts'
import { normalEmail } from '../../../accounts/user-store.ts'
import { type ChangeTools, change } from '../../change.ts'
import type { AccountMember, DoneAnswer, MemberAdded } from '../../contract.ts'
import { readParameter } from '../../pages.ts'
import { textField, wordField } from '../../read-fields.ts'
import { Refusal, refuse } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../route.ts'
import { emailProblem } from '../../rules.ts'
import { signInUrlOf } from '../../sign-in-url-of.ts'

const email = textField(emailProblem)
const role = wordField(accountRoles)

export function describeMember(member: Member): AccountMember {
  return {
    userId: member.userId,
    email: member.email,
    role: member.role,
    isAdmin: member.isAdmin,
    isSuspended: member.isSuspended,
    hasSignedIn: member.seenAtMs !== undefined,
  }
}

/**
 * Lets somebody into the account. Only who had no login yet gets a link: one for a login that exists would let the
 * owner of one account into all others of that person.
 */
export async function addMember(call: SignedInCall): Promise<JsonAnswer<MemberAdded>> {
  const { parts, id: accountId } = call
  const { vault, random } = parts
  const body = await call.body()
  const wish = { email: normalEmail(email(body, 'email')), role: role(body, 'role') }
  const added = await change(call, async (changing) => {
    const { tx, nowMs } = changing
    const known = await findUserByEmail(tx, wish.email)
    if (known && (await findMember(changing, accountId, known.id))) {
      throw refuse('conflict', 'member_already', { field: 'email' })
    }
    const userId =
      known?.id ??
      (await createUser(changing, { random, nowMs }, { email: wish.email, role: 'member' }))
    await putMember(changing, { userId, accountId, role: wish.role })
    await changing.record({
      action: 'member.added',
      subject: accountId,
      after: { userId, ...wish },
    })
    const token = known ? undefined : await addSignInLink(tx, { userId, vault, random, nowMs })
    return { userId, token }
  })
  return {
    body: {
      member: await readMember(call, added.userId),
      signInUrl: added.token === undefined ? null : signInUrlOf(call, added.token),
    },
  }
}

export async function editMember(call: SignedInCall): Promise<JsonAnswer<AccountMember>> {
  const { id: accountId } = call
  const userId = readParameter(call.query, 'user') ?? ''
  const next = role(await call.body(), 'role')
  await change(call, async (changing) => {
    const before = await needMember(changing, accountId, userId)
    if (next !== 'owner') await keepAnOwner(changing, accountId, before)
    await putMember(changing, { userId, accountId, role: next })
    await changing.record({
      action: 'member.changed',
      subject: accountId,
      before: { userId, role: before.role },
      after: { userId, role: next },
    })
  })
  return { body: await readMember(call, userId) }
}

export async function endMembership(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { id: accountId } = call
  const userId = readParameter(call.query, 'user') ?? ''
  await change(call, async (changing) => {
    const before = await needMember(changing, accountId, userId)
    await keepAnOwner(changing, accountId, before)
    await removeMember(changing, { userId, accountId })
    await changing.record({
      action: 'member.removed',
      subject: accountId,
      before: { userId, email: before.email, role: before.role },
    })
  })
  return { body: { isDone: true } }
}

/** The last owner does not leave or step down by accident; an administrator can still see to it. */
async function keepAnOwner({ tx }: ChangeTools, accountId: string, leaving: Member): Promise<void> {
  if (leaving.role !== 'owner') return
  const owners = (await listMembers(tx, accountId)).filter((each) => each.role === 'owner')
  if (owners.length > 1) return
  throw refuse('in_use', 'last_owner')
}

async function findMember(
  { tx }: ChangeTools,
  accountId: string,
  userId: string,
): Promise<Member | undefined> {
  return (await listMembers(tx, accountId)).find((member) => member.userId === userId)
}

async function needMember(
  changing: ChangeTools,
  accountId: string,
  userId: string,
): Promise<Member & { readonly role: AccountRole }> {
  const member = await findMember(changing, accountId, userId)
  if (!member) throw new Refusal('not_found', 'There is no such member.')
  return member
}

async function readMember(call: SignedInCall, userId: string): Promise<AccountMember> {
  const members = await listMembers(call.parts.engine.db, call.id)
  const member = members.find((each) => each.userId === userId)
  if (!member) throw new Refusal('not_found', 'There is no such member.')
  return describeMember(member)
}
