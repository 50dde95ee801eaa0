import { addSession, type NewSession } from '../../../accounts/session-store.ts'
import { recordAudit } from '../../../store/changes/audit.ts'
import { countAt, isObject, parseJson, stringAt } from '../../../wire/json.ts'
import type { SignInFailure } from '../../access/failed-sign-ins.ts'
import { writeFollowed } from '../../changes/write-followed.ts'
import type { SignInProblem } from '../../contract.ts'
import { cookieNameOf, formatCookie, readCookie } from '../../http/console-cookie.ts'
import { sessionCookie } from '../../http/session-cookie.ts'
import { gatewayUrl } from '../../mail/gateway-url.ts'
import { mailNotice } from '../../mail/mail-notice.ts'
import {
  type OpenIdPerson,
  type OpenIdProvider,
  type OpenIdRefusalReason,
  OpenIdRefused,
  type PendingOpenIdSignIn,
} from '../../ports/open-id-provider.ts'
import { ApiRefusal } from '../../refusal.ts'
import { consoleApiRoot, consoleRoot } from '../../root-paths.ts'
import type { CallOf, ReadyAnswer, RouteCall } from '../../routes/route.ts'
import { admitPerson, type FailedPerson } from './admit-person.ts'
import { sessionOriginOf } from './answer-new-session.ts'
import { mailNewBrowser } from './mail-new-browser.ts'
import { noteLockout } from './note-lockout.ts'
import { rememberDevice } from './remember-device.ts'

const openIdPath = `${consoleApiRoot}/open-id`
const callbackPath = `${openIdPath}/callback`
const cookieName = 'tollgate_open_id'
const tripSeconds = 600
const sealPurpose = 'open id trip'
const sealedShape = /^[\w.-]+$/

/**
 * The problem that the sign-in page explains. It reveals nothing more about a user that the visitor cannot sign in as.
 */
const problemOf: ReadonlyMap<SignInFailure, SignInProblem> = new Map([
  ['open-id-email', 'open-id-email'],
  ['open-id-domain', 'open-id-domain'],
  ['open-id-group', 'open-id-group'],
  ['open-id-claim', 'open-id-claim'],
  ['open-id-stale', 'open-id-stale'],
  ['open-id-taken', 'open-id-taken'],
])

/** Redirects to the provider. The values to compare later are in an encrypted cookie. */
export async function beginOpenId(call: CallOf<'GET /open-id/start'>): Promise<ReadyAnswer> {
  const provider = needProvider(call)
  const freshFromMs = call.query.fresh === true ? call.deps.clock.nowMs() : undefined
  const started = await provider
    .begin(`${gatewayUrl(call)}${callbackPath}`, freshFromMs)
    .catch((error: unknown) => {
      call.deps.onError?.(error, call.context.requestId)
      return undefined
    })
  if (!started) {
    await noteFailure(call, { failure: 'open-id-provider' })
    return backWith('open-id-failed')
  }
  // The browser does not send the session cookie when the provider redirects here.
  const trip = { ...started.pending, session: call.session?.tokenHash }
  const sealed = call.deps.vault.seal(JSON.stringify(trip), sealPurpose)
  return leadTo(started.url, tripCookie(sealed, tripSeconds, call.isSecure))
}

/** Handles the return from the provider: signs the user in if the identity has a user here. */
export async function finishOpenId(call: RouteCall): Promise<ReadyAnswer> {
  const provider = needProvider(call)
  const { deps, url, context } = call
  const pending = readPending(call)
  const gone = tripCookie('', 0, call.isSecure)
  const callbackUrl = new URL(`${gatewayUrl(call)}${callbackPath}${url.search}`)
  let failure: OpenIdRefusalReason = 'open-id-state'
  const finish = async (): Promise<OpenIdPerson | undefined> => {
    if (!pending) return undefined
    return provider.finish(callbackUrl, pending, deps.clock.nowMs()).catch((error: unknown) => {
      failure = error instanceof OpenIdRefused ? error.reason : 'open-id-provider'
      deps.onError?.(error, context.requestId)
      return undefined
    })
  }
  const person = await noteLockout(call, () =>
    call.throttle.attempt({ address: context.address, isReturn: true }, () =>
      call.throttle.inTurn('providing', false, finish),
    ),
  )
  if (!person) {
    await noteFailure(call, { failure })
    // An answer that belongs to another request, such as one of another tab, does not end the one under way.
    const ended = failure === 'open-id-state' ? undefined : gone
    return backWith(problemOf.get(failure) ?? 'open-id-failed', ended)
  }
  const session = await signInPerson(call, provider, person, pending?.session)
  if ('failure' in session) {
    await noteFailure(call, { ...session, openId: person.openId })
    return backWith(problemOf.get(session.failure) ?? 'open-id-unknown', gone)
  }
  const device = await rememberDevice(call, session.userId)
  return { response: arrivalPage([gone, sessionCookie(session.token, call.isSecure), ...device]) }
}

async function noteFailure(call: RouteCall, failed: FailedPerson): Promise<void> {
  const { address, requestId } = call.context
  const { subject = address, ...rest } = failed
  const tried = { claimed: { subject }, name: `open id ${subject}`, address, ...rest }
  await call.failures.note(tried, requestId)
}

/** Refused if the person has no user and does not get one. */
function signInPerson(
  call: RouteCall,
  { rules }: OpenIdProvider,
  person: OpenIdPerson,
  replaced: string | undefined,
): Promise<NewSession | FailedPerson> {
  const { vault, random, clock } = call.deps
  const nowMs = clock.nowMs()
  const warn = (problem: string) => call.deps.onError?.(new Error(problem), call.context.requestId)
  return writeFollowed(call.deps, nowMs, async (writing) => {
    const found = await admitPerson(writing, { random, nowMs, rules, warn }, person)
    if ('failure' in found) return found
    const { userId } = found
    await recordAudit(writing, {
      at: nowMs,
      actor: userId,
      action: 'user.signed-in',
      subject: userId,
      after: { address: call.context.address, openId: person.openId },
    })
    if (found.isLinked) await mailNotice(call, writing, userId, 'open-id-linked')
    await mailNewBrowser(call, writing, userId)
    const origin = sessionOriginOf(call)
    const { authenticatedAtMs } = person
    const opened = { userId, vault, random, nowMs, origin, replaced, authenticatedAtMs }
    return addSession(writing.tx, opened)
  })
}

function needProvider({ deps }: RouteCall): OpenIdProvider {
  if (deps.openId) return deps.openId
  throw new ApiRefusal('not_found', 'No identity provider is configured.')
}

interface Trip extends PendingOpenIdSignIn {
  /** The session that the browser had when it left for the provider. */
  readonly session: string | undefined
}

function readPending({ request, isSecure, deps }: RouteCall): Trip | undefined {
  const cookie = readCookie(request, cookieNameOf(cookieName, isSecure), sealedShape)
  if (cookie === undefined) return undefined
  let text: string
  try {
    text = deps.vault.open(cookie, sealPurpose)
  } catch {
    return undefined
  }
  const pending = parseJson(text)
  if (!isObject(pending)) return undefined
  const state = stringAt(pending, 'state')
  const nonce = stringAt(pending, 'nonce')
  const verifier = stringAt(pending, 'verifier')
  if (state === undefined || nonce === undefined || verifier === undefined) return undefined
  const freshFromMs = countAt(pending, 'freshFromMs')
  return { state, nonce, verifier, freshFromMs, session: stringAt(pending, 'session') }
}

/** Lax: the cookie must be sent when the provider redirects here. */
function tripCookie(value: string, seconds: number, isSecure: boolean): string {
  return formatCookie(cookieName, value, {
    maxAgeSeconds: seconds,
    isSecure,
    path: openIdPath,
    sameSite: 'Lax',
  })
}

function backWith(problem: SignInProblem, cookie?: string): ReadyAnswer {
  return leadTo(`/console/sign-in?problem=${problem}`, cookie)
}

function leadTo(location: string, cookie?: string): ReadyAnswer {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  if (cookie !== undefined) headers.append('set-cookie', cookie)
  return { response: new Response(null, { status: 302, headers }) }
}

/**
 * A page that navigates by itself. A redirect would still count as cross-site, and the browser would not send the
 * SameSite=Strict session cookie.
 */
function arrivalPage(cookies: readonly string[]): Response {
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tollgate</title>' +
    `<meta http-equiv="refresh" content="0; url=${consoleRoot}/"><p><a href="${consoleRoot}/">Go on</a></p></html>\n`
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(html, { headers })
}
