import type { AccountRole } from '../../accounts/definition/member.ts'
import { findSession, readSession, type Session } from '../../accounts/session-store.ts'
import type { Engine } from '../../store/engine.ts'
import type { JsonObject } from '../../wire/json.ts'
import { authorise, type Claim } from '../access/authorise.ts'
import type { FailedSignIns } from '../access/failed-sign-ins.ts'
import type { SignInThrottle } from '../access/sign-in-throttle.ts'
import type { ConsoleDeps } from '../ports/console-parts.ts'
import { ApiRefusal } from '../refusal.ts'
import type {
  ChangeGuard,
  HandlerResult,
  OperationRoute,
  RouteCall,
  Scope,
} from '../routes/route.ts'
import type { ExportLimiter } from '../rows/export-limiter.ts'
import { checkSameSite } from './check-same-site.ts'
import { readBody, refuseMembers } from './read-body.ts'
import { readInput, readQuery } from './read-input.ts'
import type { RoutedRequest } from './router.ts'
import { readSessionCookie } from './session-cookie.ts'

/** State that concurrent calls share. */
export interface SharedState {
  readonly throttle: SignInThrottle
  readonly exports: ExportLimiter
  readonly failures: FailedSignIns
}

/** The caller: a signed-in user, an anonymous visitor, or an admin token. */
export interface ApiCaller {
  readonly session: Session | undefined
  /** The roles of a token by account; absent: as the database says for the user. */
  readonly roles?: ReadonlyMap<string, AccountRole> | undefined
  /** Conditions for the resource that the call changes: see `change`. */
  readonly guard?: ChangeGuard | undefined
  /**
   * Reads the session again, in the transaction of a change: the body may have arrived long after the session was
   * found. Absent for a caller whose rights cannot end.
   */
  renew?(db: Engine['db']): Promise<Session | undefined>
}

/** Identifies the visitor by the session cookie. A change must come from the console's own pages. */
export async function findVisitor(
  deps: ConsoleDeps,
  { route, request, context }: RoutedRequest,
): Promise<ApiCaller> {
  if (route.method !== 'GET') checkSameSite(request)
  const { engine, vault, clock } = deps
  const token = readSessionCookie(request, isSecureCall(deps, context))
  if (token === undefined) return { session: undefined }
  const session = await findSession(engine, { token, vault, nowMs: clock.nowMs() })
  if (!session) return { session }
  return { session, renew: (db) => readSession(db, session.tokenHash, clock.nowMs()) }
}

/** Whether the browser uses https. */
function isSecureCall(
  { isSecureListen }: Pick<ConsoleDeps, 'isSecureListen'>,
  { isSecure }: RoutedRequest['context'],
): boolean {
  return isSecureListen || isSecure === true
}

/** Reads the JSON body on first use, once. */
export function bodyOf(
  { route, request, context }: RoutedRequest,
  isKnown: boolean,
): () => Promise<JsonObject> {
  return once(async () => {
    const whole = await readBody(request, isKnown, route.bodyBytesMax)
    context.arrival?.hold()
    return whole
  })
}

/**
 * Checks what the operation declares, in this order: ownership, role, recent sign-in, parameters. Then runs the
 * handler. The body is read only when the handler or the ownership check needs it, so that callers without permission
 * cannot make the gateway read it.
 */
export async function answerCall(
  deps: ConsoleDeps,
  shared: SharedState,
  arrived: RoutedRequest,
  { session, roles, guard, renew }: ApiCaller,
  sent = bodyOf(arrived, session !== undefined),
): Promise<HandlerResult> {
  const { route, request, url, context, id } = arrived
  const { engine, clock } = deps
  const nowMs = clock.nowMs()
  const claim = { session, roles, query: url.searchParams, id, nowMs, body: sent }
  const scope = await authorise(engine.db, route, claim)
  const call: RouteCall = {
    deps,
    ...shared,
    context,
    request,
    url,
    query: readQuery(route.query, url.searchParams, arrived.isStrict),
    id,
    rest: arrived.rest,
    isSecure: isSecureCall(deps, context),
    session,
    scope,
    roles,
    guard,
    recheck: async (db) => {
      const present = renew ? { ...claim, session: await renewed(db, claim, renew) } : claim
      if (isNarrower(await authorise(db, route, present), scope)) {
        throw new ApiRefusal('not_allowed', 'Your role in an account has changed. Try again.')
      }
    },
    body: once(async () => readSent(route, await sent())),
  }
  if (arrived.isStrict && !route.body && route.method !== 'GET') await refuseMembers(request)
  // `authorise` has checked that a user is signed in where the operation requires one.
  const answer = await route.run(call as never)
  if (deps.checksAnswers) checkAnswer(route, answer)
  return answer
}

/** The present session. Handlers rely on the rights that it had at first, so an administrator must still be one. */
async function renewed(
  db: Engine['db'],
  { session: before }: Claim,
  renew: NonNullable<ApiCaller['renew']>,
): Promise<Session | undefined> {
  const session = await renew(db)
  if (session && before?.isAdmin === true && !session.isAdmin) {
    throw new ApiRefusal('not_allowed', 'You are no longer an administrator.')
  }
  return session
}

/** Whether the caller has lost an account, or the keys of others in it. Handlers rely on the scope that they got. */
function isNarrower(present: Scope, before: Scope): boolean {
  if (present.accountIds === undefined) return false
  const whole = wholeIn(present)
  const visible = new Set(present.accountIds)
  return (
    before.accountIds === undefined ||
    before.accountIds.some((id) => !visible.has(id)) ||
    wholeIn(before).some((id) => !whole.includes(id))
  )
}

/** The accounts in which the caller sees everything. */
function wholeIn({ accountIds = [], own }: Scope): readonly string[] {
  return accountIds.filter((id) => own?.accountIds.includes(id) !== true)
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

function readSent({ body }: OperationRoute, sent: JsonObject): JsonObject {
  return body ? (readInput(body, sent, 'body') as JsonObject) : sent
}

function checkAnswer(
  { method, path, answer: schema }: OperationRoute,
  answer: HandlerResult,
): void {
  const problem =
    'response' in answer ? schema && 'it is no JSON' : schema?.safeParse(answer.body).error?.message
  if (problem) throw new Error(`${method} ${path} does not answer as it declares: ${problem}`)
}
