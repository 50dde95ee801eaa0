import { consoleRoot, isAdminPath, isBelow } from '../console-api/root-paths.ts'
import type { AddressRange } from '../core/access/address-range.ts'
import { asFault, Fault } from '../core/fault.ts'
import { newRequestId } from '../core/id.ts'
import type { Arrival } from '../core/network/arrival.ts'
import type { Clock } from '../core/time/clock.ts'
import { methodsOf } from '../gateway/admit/endpoint.ts'
import { protocolOfCall } from '../gateway/admit/protocol-of-call.ts'
import type { Call, GatewayResponse } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { answerFault } from '../gateway/reply/answer-fault.ts'
import { BodyBudget } from './body-budget.ts'
import { type BodyLimits, BodyReader } from './body-reader.ts'
import { clientAddress, isTrusted } from './client-address.ts'
import { HeadersCache } from './headers-cache.ts'
import { inChunks } from './in-chunks.ts'
import { IncomingCall } from './incoming-call.ts'
import { checkMetricsAccess, type MetricsAccess } from './metrics-access.ts'
import { pathStartOf } from './path-start.ts'

/** The console and the admin API, as a web-standard handler. */
export type ConsoleHandler = (
  request: Request,
  context: {
    address: string
    peer: string
    requestId: string
    isSecure: boolean
    arrival: Arrival | undefined
    /** The problem of the request target; the admin API refuses the request with its own error body. */
    problem: string | undefined
  },
) => Promise<Response>

export interface ServerDeps {
  readonly gateway: Gateway
  readonly console: ConsoleHandler
  readonly clock: Clock
  readonly brand: string
  readonly trustedProxies: readonly AddressRange[]
  readonly bodyLimits: BodyLimits
  /** Why a load balancer should send no new requests here, in one word; undefined when ready. */
  notReady(): string | undefined
  /** The process will stop soon. It still answers requests, and closes each connection after the answer. */
  isLeaving(): boolean
  isDraining(): boolean
  renderMetrics(): string | Promise<string>
  readonly metricsAccess: MetricsAccess
  onFault(requestId: string, path: string, fault: Fault): void
}

/** A request without an arrival was made inside this process, so its target needs no check. */
export type Respond = (request: Request, peer: string, arrival?: Arrival) => Promise<Response>

/** Answers a request: every response has the request id, and every failure has the error body of its protocol. */
export function createResponder(deps: ServerDeps): Respond {
  const idHeader = `x-${deps.brand}-request-id`
  const kept = new HeadersCache(deps.clock.nowMs)

  const toResponse = (
    answer: GatewayResponse,
    call: IncomingCall,
    arrival: Arrival | undefined,
  ): Response => {
    const { headers, limitHeaders, body } = answer
    const { requestId } = call
    if (body instanceof ReadableStream) arrival?.leaveOpen()
    else call.ended(body.length)
    headers[idHeader] = requestId
    headers['x-request-id'] = requestId
    headers['request-id'] = requestId
    if (deps.isLeaving()) headers['connection'] = 'close'
    const written = body instanceof Uint8Array ? inChunks(body) : body
    return new Response(written, { status: answer.status, headers: kept.of(headers, limitHeaders) })
  }

  const bodies = new BodyReader(deps.bodyLimits, deps.clock)
  const budget = new BodyBudget(deps.bodyLimits.bodiesInFlightBytesMax)

  const answerOwn = async (
    request: Request,
    path: string,
    requestId: string,
    peer: string,
    arrival: Arrival | undefined,
  ): Promise<Response | undefined> => {
    const own = await answerOwnPath(deps, request, path, requestId, peer, arrival)
    if (own) {
      for (const name of [idHeader, 'x-request-id', 'request-id']) {
        // A response from the console's playground already has the id of the model request.
        if (!own.headers.has(name)) own.headers.set(name, requestId)
      }
    }
    return own
  }

  return async (request, peer, arrival) => {
    const { url } = request
    const receivedAtMs = deps.clock.nowMs()
    const requestId = newRequestId(receivedAtMs)
    const pathStart = pathStartOf(url)
    const queryStart = url.indexOf('?', pathStart)
    const path = queryStart < 0 ? url.slice(pathStart) : url.slice(pathStart, queryStart)
    const call = new IncomingCall(request, bodies, budget, arrival, {
      requestId,
      path,
      query: queryStart < 0 ? '' : url.slice(queryStart + 1),
      address: addressOf(deps, request, peer),
      receivedAtMs,
      startedMs: deps.clock.monotonicMs(),
    })
    try {
      const problem = arrival?.problem
      // The admin API refuses the request with its own error body.
      if (problem !== undefined && !isAdminPath(path)) throw new Fault('invalid_request', problem)
      if (!path.startsWith('/v1')) {
        const own = await answerOwn(request, path, requestId, peer, arrival)
        if (own) return own
      }
      if (call.method === 'GET') refuseUpgrade(call)
      if (deps.isDraining()) throw draining()
      return toResponse(await deps.gateway.answer(call), call, arrival)
    } catch (error) {
      const fault = asFault(error)
      deps.onFault(requestId, path, fault)
      return toResponse(answerFault(call, fault), call, arrival)
    }
  }
}

function addressOf({ trustedProxies }: ServerDeps, request: Request, peer: string): string {
  const forwardedFor = trustedProxies.length === 0 ? null : request.headers.get('x-forwarded-for')
  return clientAddress(peer, forwardedFor, trustedProxies)
}

async function answerOwnPath(
  deps: ServerDeps,
  request: Request,
  path: string,
  requestId: string,
  peer: string,
  arrival: Arrival | undefined,
): Promise<Response | undefined> {
  if (path === '/healthz') return text(200, 'ok\n')
  if (path === '/' && isForPerson(request)) return redirect(`${consoleRoot}/`)
  if (path === '/readyz') {
    const reason = deps.notReady()
    return reason === undefined ? text(200, 'ready\n') : text(503, `${reason}\n`)
  }
  if (path === '/metrics') {
    checkMetricsAccess(request, deps.metricsAccess)
    return text(200, await deps.renderMetrics())
  }
  if (isBelow(consoleRoot, path) || isAdminPath(path)) {
    const address = addressOf(deps, request, peer)
    // Only a trusted proxy may declare that the client used TLS.
    const isSecure =
      isTrusted(peer, deps.trustedProxies) && request.headers.get('x-forwarded-proto') === 'https'
    if (!hasBody(request)) arrival?.hold()
    const problem = arrival?.problem
    const context = { address, peer, requestId, isSecure, arrival, problem }
    return settleWait(await deps.console(request, context), arrival)
  }
  return undefined
}

/** A browser that opens a page. Clients of the API get an error in the form of their protocol. */
function isForPerson({ method, headers }: Request): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html')
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
}

function hasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0
}

/** The console's answers are complete, except for files that are generated while the client reads them. */
function settleWait(response: Response, arrival: Arrival | undefined): Response {
  if (!arrival || arrival.isLeftOpen) return response
  const { body, headers } = response
  if (!body || !headers.has('content-disposition')) {
    arrival.release(0)
    return response
  }
  arrival.hold()
  return new Response(releaseAtEnd(body, arrival), response)
}

function releaseAtEnd(
  body: ReadableStream<Uint8Array>,
  arrival: Arrival,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        arrival.release(0)
        controller.close()
      },
      // The client has left, or has sent a HEAD.
      cancel: (reason) => {
        arrival.release(0)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function text(status: number, body: string): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

/** Codex tries a WebSocket first and falls back to HTTP at once only after status 426. */
function refuseUpgrade({ headers, path }: Call): void {
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') return
  const methods = methodsOf(path, protocolOfCall(headers, path))
  // An unknown path gets 404, with or without an upgrade.
  if (methods === undefined) return
  const method = methods.includes('POST') ? 'POST' : 'GET'
  throw new Fault(
    'upgrade_required',
    `${path} is served over plain HTTP: send a ${method} without an Upgrade header.`,
  )
}

function draining(): Fault {
  return new Fault(
    'unavailable',
    'The gateway is stopping. Try again: another one may answer, or this one after its restart.',
    {
      retryAfterSeconds: 1,
      headers: { connection: 'close' },
    },
  )
}
