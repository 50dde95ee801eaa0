import type { AccountRole } from '../accounts/definition/member.ts'
import type { Session } from '../accounts/session-store.ts'
import type { OwnKeys } from '../keys/key-list.ts'
import type { Engine } from '../store/engine.ts'
import type { Writing } from '../store/write.ts'
import type { JsonObject } from '../wire/json.ts'
import type { ConsoleContext, ConsoleDeps } from './console-parts.ts'
import type { Method, Operation } from './contract/operation.ts'
import type { AnswerOf, Operations, ReadBodyOf, ReadQueryOf } from './contract/operations.ts'
import type { ExportDesk } from './export-desk.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

/** The accounts whose things a caller may see; undefined means every account. */
export interface Scope {
  readonly accountIds: readonly string[] | undefined
  /** The accounts of these in which the caller sees only their own keys and requests. */
  readonly own?: OwnKeys
}

/** A request that has passed every check its operation declares. */
export interface RouteCall {
  readonly deps: ConsoleDeps
  readonly throttle: SignInThrottle
  readonly exports: ExportDesk
  readonly failures: FailedSignIns
  readonly context: ConsoleContext
  readonly request: Request
  readonly url: URL
  /** The parameters, as the operation's schema reads them: see `CallOf`. */
  readonly query: unknown
  /** What stands in the place of `{id}` in the path, decoded; empty when the path has none. */
  readonly id: string
  /** What stands in the place of `{rest}`. */
  readonly rest: string
  readonly isSecure: boolean
  readonly session: Session | undefined
  readonly scope: Scope
  /** Of a token: its role in the accounts it may act in; absent: as the database says of the user. */
  readonly roles?: ReadonlyMap<string, AccountRole> | undefined
  /** Refuses when the caller may no longer do this: see `change`. */
  readonly recheck?: ((db: Engine['db']) => Promise<void>) | undefined
  /** What the admin API was told must be true before a change: see `change`. */
  readonly guard?: ChangeGuard | undefined
  /** The JSON object that the request carries, as the operation's schema reads it; read once. */
  body(): Promise<JsonObject>
}

/** A call of an operation that somebody must be signed in for. */
export interface SignedInCall extends RouteCall {
  readonly session: Session
}

/** A call of this one operation. */
export type CallOf<Name extends keyof Operations> = Omit<
  Operations[Name]['who'] extends 'anonymous' ? RouteCall : SignedInCall,
  'query' | 'body'
> & {
  readonly query: ReadQueryOf<Name>
  body(): Promise<ReadBodyOf<Name>>
}

/** A body to be sent as JSON, or a response that is ready. */
export type HandlerResult = JsonAnswer<unknown> | ReadyAnswer

export type JsonAnswer<Body> = {
  readonly body: Body
  /** 200 when absent. */
  readonly status?: number
  readonly cookies?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}
export type ReadyAnswer = { readonly response: Response }

/** What does each operation of a table: none can be left out, and none answers with something else. */
export type Handlers<Table> = {
  readonly [Name in keyof Table & keyof Operations]: (
    call: CallOf<Name>,
  ) => Promise<Operations[Name]['answer'] extends null ? ReadyAnswer : JsonAnswer<AnswerOf<Name>>>
}

/** An operation with its place and what does it. */
export type OperationRoute = Operation & {
  readonly method: Method
  readonly path: string
  readonly run: (call: never) => Promise<HandlerResult>
}

/**
 * What a caller has said must be true of a resource before it is changed; both are called in the transaction. What the
 * scope does not reach is not there.
 */
export interface ChangeGuard {
  before(tx: Writing['tx'], scope: Scope): Promise<void>
  after(tx: Writing['tx'], scope: Scope): Promise<void>
}
