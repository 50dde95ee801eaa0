import { TokenUses } from '../../admin-tokens/token-uses.ts'
import { refusalOf, send } from '../create-console.ts'
import { type ApiCaller, answerCall, bodyOf, type SharedState } from '../http/answer-call.ts'
import { createRouter, type RoutedRequest } from '../http/router.ts'
import { securityHeaders } from '../http/security-headers.ts'
import type { ConsoleContext, ConsoleDeps } from '../ports/console-parts.ts'
import { ApiRefusal } from '../refusal.ts'
import { adminRoot } from '../root-paths.ts'
import type { OperationRoute } from '../routes/route.ts'
import {
  allowCall,
  authenticateToken,
  readBearer,
  rolesOfToken,
  sessionOfToken,
} from './admin-caller.ts'
import { adminRoutes, descriptionPath } from './admin-routes.ts'
import { describeApi } from './describe-api.ts'
import { parametersOf } from './parameters.ts'
import { sendProblem } from './problem.ts'
import { moneyMemberOf, operationsOf } from './route-areas.ts'
import { TagGuard } from './tag-guard.ts'
import { showsTagged } from './tagged-settings.ts'

export interface AdminApi {
  answer(request: Request, context: ConsoleContext): Promise<Response>
  /** Resolves when all recorded uses of tokens are in the database. */
  settled(): Promise<void>
}

/** The admin API: operations of the console for programs, with tokens. */
export function createAdminApi(deps: ConsoleDeps, shared: SharedState): AdminApi {
  const uses = new TokenUses(deps.engine, (error) => deps.onError?.(error, 'none'))
  const placed = new Map(adminRoutes.map(({ route, path }) => [{ ...route, path }, route]))
  const router = createRouter(adminRoot, [...placed.keys()], {
    answer: async (arrived) => {
      // The router returns the routes that it was given.
      const route = placed.get(arrived.route) ?? arrived.route
      try {
        return await answerToken(deps, shared, uses, { ...arrived, route })
      } catch (error) {
        return refuse(deps, error, arrived.context, route)
      }
    },
    refuse: (error, context) => refuse(deps, error, context),
  })
  return {
    answer: async (request, context) => {
      if (context.problem !== undefined) {
        return refuse(deps, targetWrong(context.problem), context)
      }
      const isDescription = new URL(request.url).pathname === adminRoot + descriptionPath
      const response = isDescription
        ? await describe(deps, request, context)
        : await router(request, context)
      for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value)
      return response
    },
    settled: () => uses.written(),
  }
}

const everything = { accountIds: undefined }

/** Authenticates the token, checks its scopes, and then continues as for a signed-in user. */
async function answerToken(
  deps: ConsoleDeps,
  shared: SharedState,
  uses: TokenUses,
  arrived: RoutedRequest,
): Promise<Response> {
  const { route, request, context, id, url } = arrived
  const place = { headers: request.headers, address: context.address }
  const token = await authenticateToken(deps, uses, place)
  const sent = bodyOf(arrived, true)
  allowCall(token, operationsOf(route))
  if (moneyMemberOf(route) !== undefined) allowCall(token, operationsOf(route, await sent()))
  const guard = new TagGuard(route, { id, query: url.searchParams, headers: request.headers })
  const { clock } = deps
  const caller: ApiCaller = {
    session: sessionOfToken(token, clock.nowMs()),
    roles: rolesOfToken(token),
    guard,
    renew: async (db) => sessionOfToken(await readBearer(db, deps, place), clock.nowMs()),
  }
  // The tag is read before the response: an older tag only refuses a change too often, a newer one would lose a change.
  // Without permission there is no response, so the tag is not sent.
  if (route.method === 'GET') await guard.after(deps.engine.db, everything)
  const response = send(
    await answerCall(deps, shared, { ...arrived, isStrict: true }, caller, sent),
  )
  if (guard.tag !== undefined && showsTagged(route)) response.headers.set('etag', guard.tag)
  return response
}

function refuse(
  deps: ConsoleDeps,
  error: unknown,
  { requestId }: ConsoleContext,
  route?: OperationRoute,
): Response {
  const refusal = refusalOf(error)
  if (refusal !== error && refusal.status >= 500) deps.onError?.(error, requestId)
  return sendProblem(refusal, requestId, {
    parameters: parametersOf(route?.query).map(({ name }) => name),
    headers: ['idempotency-key', 'if-match', 'if-none-match'],
  })
}

/** The request target is ambiguous: two programs could read it differently. */
function targetWrong(problem: string): ApiRefusal {
  return new ApiRefusal('invalid_request', problem, { detail: 'target_wrong' })
}

/** The description is not secret: it is the same for everybody. */
async function describe(
  deps: ConsoleDeps,
  request: Request,
  context: ConsoleContext,
): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    return Response.json(await describeApi(deps.brand))
  }
  const message = 'This path accepts GET, HEAD only.'
  const headers = { allow: 'GET, HEAD' }
  return refuse(deps, new ApiRefusal('method_not_allowed', message, { headers }), context)
}
