import type { AccountRole } from '../accounts/definition/member.ts'
import type { Session } from '../accounts/session-store.ts'
import type { JsonObject } from '../wire/json.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import type { ExportDesk } from './export-desk.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

/** The accounts whose things a caller may see; undefined means every account. */
export interface Scope {
  readonly accountIds: readonly string[] | undefined
}

/** A request that has passed every check its route declares. */
export interface RouteCall {
  readonly parts: ConsoleParts
  readonly throttle: SignInThrottle
  readonly exports: ExportDesk
  readonly failures: FailedSignIns
  readonly context: ConsoleContext
  readonly request: Request
  readonly url: URL
  readonly query: URLSearchParams
  /** What stands in the place of `{id}` in the path, decoded; empty when the path has none. */
  readonly id: string
  /** What stands in the place of `{rest}`. */
  readonly rest: string
  readonly isSecure: boolean
  readonly session: Session | undefined
  readonly scope: Scope
  /** The JSON object that the request carries; read once. */
  body(): Promise<JsonObject>
}

/** A call of a route that somebody must be signed in for. */
export interface SignedInCall extends RouteCall {
  readonly session: Session
}

/** A body to be sent as JSON, or a response that is ready. */
export type Answer<Body = unknown> =
  | { readonly body: Body; readonly cookies?: readonly string[] }
  | { readonly response: Response }

export type JsonAnswer<Body> = { readonly body: Body; readonly cookies?: readonly string[] }

interface RouteShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below /console/api. `{id}` is one segment, `{rest}` is all that follows. */
  readonly path: string
}

/**
 * Whose things a call may touch:
 * - `self`: only the caller's own user and sessions;
 * - `accounts`: the things of accounts that the caller may see, narrowed by `?account=`, which must be one of them;
 * - `one-account`: the same, and `?account=` must be there;
 * - `body-account`: the account that `accountId` of the body names;
 * - `path-account`: the account that the path names;
 * - `path-key`: the key that the path names, which must belong to an account the caller may see;
 * - `path-request`: the row of the log that the path names, likewise;
 * - `everything`: whatever there is. Only for administrators.
 */
export type Ownership =
  | 'self'
  | 'accounts'
  | 'one-account'
  | 'body-account'
  | 'path-account'
  | 'path-key'
  | 'path-request'

/** Who may call, and what the call may touch. The dispatcher enforces all of it before `answer` runs. */
export type Route = RouteShape &
  (
    | {
        readonly who: 'anonymous'
        readonly owns: 'self'
        readonly answer: (call: RouteCall) => Promise<Answer>
      }
    | {
        readonly who: 'member'
        readonly owns: Ownership
        /** The least role in the account that is concerned; `viewer` when absent. */
        readonly role?: AccountRole
        /** The caller must have proved lately who they are. */
        readonly isFresh?: true
        readonly answer: (call: SignedInCall) => Promise<Answer>
      }
    | {
        readonly who: 'admin'
        readonly owns: 'everything'
        readonly isFresh?: true
        readonly answer: (call: SignedInCall) => Promise<Answer>
      }
  )
