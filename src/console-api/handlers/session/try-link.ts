import type { RefusedLink } from '../../../accounts/sign-in-link.ts'
import type { RouteCall } from '../../routes/route.ts'
import { noteLockout } from './note-lockout.ts'

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
