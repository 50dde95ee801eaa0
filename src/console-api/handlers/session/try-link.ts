import type { RefusedLink } from '../../../accounts/sign-in-link.ts'
import { mayGiveAt } from '../../access/may-give-link.ts'
import type { CallOf, RouteCall } from '../../routes/route.ts'
import { sessionOriginOf } from './answer-new-session.ts'
import { noteLockout } from './note-lockout.ts'

/** The sent token, with everything that opens a session with it. */
export async function readLink(call: CallOf<'POST /invitation'> | CallOf<'POST /sign-in-link'>) {
  const { vault, random, clock } = call.deps
  const { token } = await call.body()
  const nowMs = clock.nowMs()
  const origin = sessionOriginOf(call)
  const replaced = call.session?.tokenHash
  return { token, vault, random, nowMs, origin, replaced, mayGive: mayGiveAt(nowMs) }
}

/** Redeems a link within the limits of sign-in attempts. A failure is recorded in the audit log. */
export async function tryLink<T extends object>(
  call: RouteCall,
  follow: () => Promise<T | RefusedLink>,
): Promise<T | undefined> {
  const { address, requestId } = call.context
  let refusal: RefusedLink | undefined
  const opened = await noteLockout(call, () =>
    call.throttle.attempt({ address }, async () => {
      const outcome = await follow()
      if (!('refused' in outcome)) return outcome
      refusal = outcome
      return undefined
    }),
  )
  if (refusal) {
    const { refused, ownerId } = refusal
    const subject = ownerId ?? address
    const tried = { claimed: { subject }, name: `link ${subject}`, failure: refused, address }
    await call.failures.note(tried, requestId)
  }
  return opened
}
