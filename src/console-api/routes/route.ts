import type { AccountRole } from '../../accounts/definition/member.ts'
import type { Session } from '../../accounts/session-store.ts'
import type { OwnKeys } from '../../keys/key-list.ts'
import type { Writing } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { FailedSignIns } from '../access/failed-sign-ins.ts'
import type { SignInThrottle } from '../access/sign-in-throttle.ts'
import type { Method, Operation } from '../contract/operations/operation.ts'
import type {
  AnswerOf,
  Operations,
  ReadBodyOf,
  ReadQueryOf,
} from '../contract/operations/operations.ts'
import type { ConsoleContext, ConsoleDeps } from '../ports/console-parts.ts'
import type { ExportLimiter } from '../rows/export-limiter.ts'

/** The accounts that a caller may see; undefined means all. */
export interface Scope {
  readonly accountIds: readonly string[] | undefined
  /** The accounts of these in which the caller sees only their own keys and requests. */
  readonly own?: OwnKeys
}

/** A request that has passed all checks of its operation. */
export interface RouteCall {
  readonly deps: ConsoleDeps
  readonly throttle: SignInThrottle
  readonly exports: ExportLimiter
  readonly failures: FailedSignIns
  readonly context: ConsoleContext
  readonly request: Request
  readonly url: URL
  /** The parsed parameters: see `CallOf`. */
  readonly query: unknown
  /** The decoded value of `{id}` in the path; empty if the path has none. */
  readonly id: string
  /** The value of `{rest}`. */
  readonly rest: string
  readonly isSecure: boolean
  readonly session: Session | undefined
  readonly scope: Scope
  /** The roles of a token by account; absent: as the database says for the user. */
  readonly roles?: ReadonlyMap<string, AccountRole> | undefined
  /** Refuses when the caller may no longer do this: see `change`. */
  readonly recheck?: ((db: Engine['db']) => Promise<void>) | undefined
  /** Preconditions from the admin API: see `change`. */
  readonly guard?: ChangeGuard | undefined
  /** The parsed JSON body, read once. */
  body(): Promise<JsonObject>
}

/** A call of an operation that needs a sign-in. */
export interface SignedInCall extends RouteCall {
  readonly session: Session
}

export type CallOf<Name extends keyof Operations> = Omit<
  Operations[Name]['who'] extends 'anonymous' ? RouteCall : SignedInCall,
  'query' | 'body'
> & {
  readonly query: ReadQueryOf<Name>
  body(): Promise<ReadBodyOf<Name>>
}

/** A JSON body, or a complete response. */
export type HandlerResult = JsonAnswer<unknown> | ReadyAnswer

export type JsonAnswer<Body> = {
  readonly body: Body
  /** Absent: 200. */
  readonly status?: number
  readonly cookies?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}
export type ReadyAnswer = { readonly response: Response }

/** The handlers of a table of operations. A missing handler or a wrong response type does not compile. */
export type Handlers<Table> = {
  readonly [Name in keyof Table & keyof Operations]: (
    call: CallOf<Name>,
  ) => Promise<Operations[Name]['answer'] extends null ? ReadyAnswer : JsonAnswer<AnswerOf<Name>>>
}

/** An operation with its path and handler. */
export type OperationRoute = Operation & {
  readonly method: Method
  readonly path: string
  readonly run: (call: never) => Promise<HandlerResult>
}

/** Preconditions of a change, checked in its transaction. A resource outside the scope counts as missing. */
export interface ChangeGuard {
  before(tx: Writing['tx'], scope: Scope): Promise<void>
  after(tx: Writing['tx'], scope: Scope): Promise<void>
}
