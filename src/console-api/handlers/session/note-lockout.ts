import { Lockout } from '../../access/sign-in-throttle.ts'
import type { RouteCall } from '../../routes/route.ts'

/** Runs an attempt that names no user. A lockout is recorded in the audit log. */
export async function noteLockout<T>(call: RouteCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Lockout) {
      const { address, requestId } = call.context
      const claimed = { subject: address }
      const tried = { claimed, name: `locked ${address}`, failure: 'locked', address } as const
      await call.failures.note(tried, requestId)
    }
    throw error
  }
}
