import { acceptInvitation, declineInvitation } from '../../../accounts/invitations.ts'
import type { NewSession, Session } from '../../../accounts/session-store.ts'
import { findInvited, redeemInvitation } from '../../../accounts/sign-in-link.ts'
import { mayGiveAt } from '../../access/may-give-link.ts'
import { change } from '../../changes/change.ts'
import type { SessionAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { CallOf, JsonAnswer, SignedInCall } from '../../routes/route.ts'
import { answerNewSession } from './answer-new-session.ts'
import { describeSession } from './describe-session.ts'
import { readLink, tryLink } from './try-link.ts'

/**
 * Accepts an invitation. A user who is signed in with the invited, verified email joins the account; everyone else
 * becomes a new user who is limited to the account.
 */
export async function openInvitation(
  call: CallOf<'POST /invitation'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const { engine } = call.deps
  const link = await readLink(call)
  const opened = await tryLink<NewSession | Session>(call, async () => {
    const { session } = call
    const invited = session && isOwner(session) ? await findInvited(engine, link) : undefined
    if (!session || invited?.email !== session.email) return redeemInvitation(engine, link)
    const isAccepted = await accept({ ...call, session }, invited.accountId)
    return isAccepted ? session : { refused: 'link-withdrawn', ownerId: session.userId }
  })
  if (!opened) {
    throw new ApiRefusal(
      'link_spent',
      'This invitation was used or withdrawn, or it is more than 7 days old. Ask the person who invited you for a new one.',
    )
  }
  if ('email' in opened) return { body: await describeSession(call, opened) }
  return answerNewSession(call, opened)
}

export async function acceptWaiting(
  call: CallOf<'POST /invitations/accept'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const { account: accountId } = await call.body()
  if (!isOwner(call.session) || !(await accept(call, accountId))) throw missing()
  return { body: await describeSession(call, call.session) }
}

export async function declineWaiting(
  call: CallOf<'POST /invitations/decline'>,
): Promise<JsonAnswer<SessionAnswer>> {
  const { session } = call
  const { account: accountId } = await call.body()
  const { email, userId } = session
  if (!isOwner(session)) throw missing()
  await change(call, async (changing) => {
    if (!(await declineInvitation(changing, { email, accountId }))) throw missing()
    const after = { userId, email }
    await changing.record({ action: 'member.declined', subject: accountId, after })
  })
  return { body: await describeSession(call, session) }
}

function accept(call: SignedInCall, accountId: string): Promise<boolean> {
  const { userId, email } = call.session
  return change(call, async (changing) => {
    const mayGive = mayGiveAt(changing.nowMs)
    if (!(await acceptInvitation(changing, { userId, email, accountId }, mayGive))) return false
    const after = { userId, email }
    await changing.record({ action: 'member.accepted', subject: accountId, after })
    return true
  })
}

/** A user without a verified email cannot accept invitations for this email. */
function isOwner({ invitedTo }: Session): boolean {
  return invitedTo === undefined
}

function missing(): ApiRefusal {
  return new ApiRefusal('not_found', 'This invitation does not exist.')
}
