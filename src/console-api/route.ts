import type { Session } from '../accounts/session-store.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

/** The accounts whose things a caller may see; undefined means every account. */
export interface Scope {
  readonly accountIds: readonly string[] | undefined
}

/** A request that has passed every check its route declares. */
export interface RouteCall {
  readonly parts: ConsoleParts
  readonly throttle: SignInThrottle
  readonly context: ConsoleContext
  readonly request: Request
  readonly query: URLSearchParams
  /** What stands in the place of `{id}` in the path; empty when the path has none. */
  readonly id: string
  readonly isSecure: boolean
  readonly session: Session | undefined
  readonly scope: Scope
}

/** A call of a route that somebody must be signed in for. */
export interface SignedInCall extends RouteCall {
  readonly session: Session
}

export interface Answer<Body = unknown> {
  readonly body: Body
  readonly cookie?: string
}

interface RouteShape {
  readonly method: 'GET' | 'POST'
  /** Below /console/api. */
  readonly path: string
}

/**
 * `who` may call at all, and whose things the call may touch:
 * - `self`: only the caller's own user and session;
 * - `account`: the things of accounts the caller may see, narrowed by `?account=`, which must be one of them;
 * - `request`: the usage row that the path names, which must belong to an account the caller may see.
 */
export type Route = RouteShape &
  (
    | {
        readonly who: 'anonymous'
        readonly owns: 'self'
        readonly answer: (call: RouteCall) => Promise<Answer>
      }
    | {
        readonly who: 'member' | 'admin'
        readonly owns: 'self' | 'account' | 'request'
        readonly answer: (call: SignedInCall) => Promise<Answer>
      }
  )
