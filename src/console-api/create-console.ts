import { DependencyUnavailable } from '../core/fault.ts'
import { FailedSignIns } from './access/failed-sign-ins.ts'
import { createSignInThrottle } from './access/sign-in-throttle.ts'
import { stateProblemTexts } from './contract/refusal-texts.ts'
import type { ErrorAnswer } from './contract.ts'
import { answerCall, findVisitor, type SharedState } from './http/answer-call.ts'
import { BodyCut } from './http/read-body.ts'
import { createRouter } from './http/router.ts'
import { securityHeaders } from './http/security-headers.ts'
import { serveAsset } from './http/serve-asset.ts'
import type { ConsoleContext, ConsoleDeps } from './ports/console-parts.ts'
import { ApiRefusal, refuse } from './refusal.ts'
import { consoleApiRoot, consoleRoot } from './root-paths.ts'
import type { HandlerResult } from './routes/route.ts'
import { routes } from './routes/routes.ts'
import { ExportLimiter } from './rows/export-limiter.ts'

export type Console = (request: Request, context: ConsoleContext) => Promise<Response>

/** The web console: built pages and their private back end. Handles everything below /console. */
export function createConsole(deps: ConsoleDeps, shared = shareAmong(deps)): Console {
  const answerApi = createRouter(consoleApiRoot, routes, {
    answer: async (arrived) =>
      send(await answerCall(deps, shared, arrived, await findVisitor(deps, arrived))),
    refuse: (error, { requestId }) => answerError(deps, error, requestId),
  })
  return async (request, context) => {
    const url = new URL(request.url)
    const isApi = url.pathname === consoleApiRoot || url.pathname.startsWith(`${consoleApiRoot}/`)
    const response = isApi
      ? await answerApi(request, context)
      : await answerPage(deps, request, url)
    const { headers } = response
    for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
    for (const name of [`x-${deps.brand}-request-id`, 'x-request-id', 'request-id']) {
      // A response of the playground already has the id of its own request.
      if (!headers.has(name)) headers.set(name, context.requestId)
    }
    return response
  }
}

/** State that all calls of this process share, from the console and from the admin API. */
export function shareAmong(deps: ConsoleDeps): SharedState {
  return {
    throttle: createSignInThrottle(deps.clock, deps.workers),
    exports: new ExportLimiter(deps.clock),
    failures: new FailedSignIns(deps),
  }
}

async function answerPage(deps: ConsoleDeps, request: Request, url: URL): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
  }
  if (url.pathname === consoleRoot) {
    return new Response(null, {
      status: 308,
      headers: { location: `${consoleRoot}/${url.search}` },
    })
  }
  return serveAsset(deps.assets, request, url.pathname.slice(consoleRoot.length + 1))
}

export function send(answer: HandlerResult): Response {
  if ('response' in answer) return answer.response
  const response = sendJson(answer.status ?? 200, answer.body, answer.headers)
  for (const cookie of answer.cookies ?? []) response.headers.append('set-cookie', cookie)
  return response
}

function answerError(deps: ConsoleDeps, error: unknown, requestId: string): Response {
  const refusal = refusalOf(error)
  if (refusal !== error && refusal.status >= 500) deps.onError?.(error, requestId)
  const { code, message, status, details } = refusal
  const { headers, ...rest } = details
  const body: ErrorAnswer = { error: { code, message, requestId, ...rest } }
  return sendJson(status, body, headers)
}

export function refusalOf(error: unknown): ApiRefusal {
  if (error instanceof ApiRefusal) return error
  if (error instanceof BodyCut) return refuse('invalid_request', 'body_cut')
  if (error instanceof DependencyUnavailable) {
    return new ApiRefusal('unavailable', stateProblemTexts.database_silent, {
      detail: 'database_silent',
      headers: { 'retry-after': '5' },
    })
  }
  return new ApiRefusal(
    'internal_error',
    'The gateway had an internal error. Find the cause in its log by the ID of this request.',
  )
}

function sendJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}
