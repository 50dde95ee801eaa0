import { closeOtherSessions, closeSession, listSessions } from '../../../accounts/session-store.ts'
import { change } from '../../changes/change.ts'
import type { DoneAnswer, SessionsAnswer } from '../../contract.ts'
import { ApiRefusal } from '../../refusal.ts'
import type { JsonAnswer, SignedInCall } from '../../routes/route.ts'

export async function readSessions(call: SignedInCall): Promise<JsonAnswer<SessionsAnswer>> {
  const { deps, session } = call
  const found = await listSessions(deps.engine, session.userId, deps.clock.nowMs())
  return {
    body: {
      sessions: found.map((each) => ({
        id: each.id,
        isCurrent: each.id === session.id,
        createdAt: each.createdAtMs,
        seenAt: each.seenAtMs,
        address: each.address,
        agent: each.agent,
      })),
    },
  }
}

export async function endSession(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  const { deps, session, id } = call
  const found = await listSessions(deps.engine, session.userId, deps.clock.nowMs())
  const ended = found.find((each) => each.id === id)
  if (!ended) throw new ApiRefusal('not_found', 'This session does not exist.')
  await change(call, async ({ tx, record }) => {
    await closeSession({ db: tx }, ended.tokenHash)
    await record({ action: 'session.ended', subject: id, before: { address: ended.address } })
  })
  return { body: { isDone: true } }
}

export async function endOtherSessions(call: SignedInCall): Promise<JsonAnswer<DoneAnswer>> {
  await change(call, async ({ tx, record }) => {
    await closeOtherSessions(tx, call.session)
    await record({ action: 'session.others-ended', subject: call.session.userId })
  })
  return { body: { isDone: true } }
}
