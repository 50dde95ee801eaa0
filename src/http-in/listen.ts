import { consoleRoot } from '../console-api/root-paths.ts'
import type { Arrival } from '../core/network/arrival.ts'
import { fixedPaths } from '../gateway/client-paths.ts'
import { hostProblem, pathProblem, segmentsMax, unroutable } from './request-target.ts'
import { Rounds } from './rounds.ts'
import type { Respond } from './server.ts'

/**
 * The time limit from the end of an answer to the headers of the next request, and from the headers of a request to the
 * end of its body. Bytes do not restart the runtime's timer, so this is a deadline and not an idle time. The runtime
 * closes a connection that has not sent the headers of its first request after 12 s.
 */
const idleSecondsByDefault = 64
/** The time that a client has to read a long answer. */
const longAnswerSeconds = 240
const longAnswerBytes = 1024 * 1024

/** Paths that are compared as sent. Every other path is split and checked. */
const exactPaths = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  consoleRoot,
  `${consoleRoot}/`,
  ...fixedPaths,
]

export interface Listener {
  readonly hostname: string
  readonly port: number
  /** Requests in progress, streams included. */
  pending(): number
  /**
   * Another process that shares the port gets all new connections from now on. Open connections stay. Has no effect
   * where the system offers no way to do this.
   */
  stopAccepting(): Promise<void>
  stop(): Promise<void>
}

export interface ListenAddress {
  readonly hostname: string
  readonly port: number
  /** The flag with which an operator chooses another address. */
  readonly flag?: string
  /** Whether other processes may listen on the same address, so that the kernel divides the connections. */
  readonly isShared?: boolean
}

export class ListenProblem extends Error {
  override readonly name = 'ListenProblem'
}

const unknownPeer = { address: '', port: 0 }

/** Closes the connection after this response. Further requests on the connection are not read. */
function asLast(response: Response): Response {
  response.headers.set('connection', 'close')
  return response
}

type RoutedRequest = Request & { readonly params?: Readonly<Record<string, string>> }
type BunServer = Bun.Server<undefined>
type Handler = (request: RoutedRequest, server: BunServer) => Promise<Response>

/** Opens the port. Throws one clear sentence when the port cannot be opened. */
export function listen(
  address: ListenAddress,
  respond: Respond,
  idleSeconds = idleSecondsByDefault,
): Listener {
  const rounds = new Rounds()
  const answer = (request: Request, server: BunServer, problem: string | undefined) => {
    const peer = server.requestIP(request) ?? unknownPeer
    const mayAskOn = rounds.begin(peer)
    const arrival = new OpenRequest(server, request, problem, idleSeconds)
    const response = respond(request, peer.address, arrival)
    return mayAskOn ? response : response.then(asLast)
  }
  const { exact, taken, other } = createHandlers(answer)
  try {
    const server = Bun.serve({
      hostname: address.hostname,
      port: address.port,
      // The runtime's default would let any second process listen on the same port.
      reusePort: address.isShared === true,
      idleTimeout: idleSeconds,
      // The gateway's own limit answers with the protocol's error body; the runtime's answer would have no body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      routes: routesOf(exact, taken),
      fetch: other,
    })
    const port = server.port ?? address.port
    rounds.listening(port)
    return {
      hostname: address.hostname,
      port,
      pending: () => server.pendingRequests,
      stopAccepting: () => rounds.stopAccepting(),
      stop: () => {
        rounds.stop()
        return server.stop(true)
      },
    }
  } catch (error) {
    throw explain(address, error)
  }
}

/**
 * The runtime normalises the URL of a request (dots, backslashes) and builds it with the Host header. Its router sees
 * the request line as sent, so the router determines the path.
 */
function createHandlers(
  answer: (request: Request, server: BunServer, problem: string | undefined) => ReturnType<Respond>,
): { exact: Handler; taken: Handler; other: Handler } {
  let checkedHost = ''
  const problemOfHost = (request: Request): string | undefined => {
    const host = request.headers.get('host')
    if (host === checkedHost && host !== '') return undefined
    const problem = hostProblem(host)
    if (problem === undefined && host !== null) checkedHost = host
    return problem
  }
  return {
    exact: (request, server) =>
      answer(request, server, problemOfHost(request) ?? pathProblem(request.url, [])),
    taken: (request, server) => {
      const segments = Object.values(request.params ?? {})
      return answer(request, server, problemOfHost(request) ?? pathProblem(request.url, segments))
    },
    other: (request, server) => answer(request, server, problemOfHost(request) ?? unroutable),
  }
}

function routesOf(exact: Handler, taken: Handler): Record<string, Handler> {
  const routes: Record<string, Handler> = {}
  let pattern = ''
  for (let index = 1; index <= segmentsMax; index += 1) {
    pattern += `/:s${index}`
    routes[pattern] = taken
    routes[`${pattern}/`] = taken
  }
  for (const path of exactPaths) routes[path] = exact
  return routes
}

class OpenRequest implements Arrival {
  readonly problem: string | undefined
  isLeftOpen = false
  readonly #server: BunServer
  readonly #request: Request
  readonly #idleSeconds: number

  constructor(
    server: BunServer,
    request: Request,
    problem: string | undefined,
    idleSeconds: number,
  ) {
    this.#server = server
    this.#request = request
    this.problem = problem
    this.#idleSeconds = idleSeconds
  }

  hold(): void {
    // A model may think for minutes without sending a byte. The gateway's own watchdog limits this wait.
    this.#server.timeout(this.#request, 0)
  }

  leaveOpen(): void {
    this.isLeftOpen = true
  }

  release(answerBytes: number): void {
    const seconds = answerBytes > longAnswerBytes ? longAnswerSeconds : this.#idleSeconds
    this.#server.timeout(this.#request, seconds)
  }
}

function explain(
  { hostname, port, flag = '--listen' }: ListenAddress,
  error: unknown,
): ListenProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const place = `${hostname}:${port}`
  if (code === 'EADDRINUSE') {
    return new ListenProblem(
      `The address ${place} is taken by another program: stop that one, or choose another port with ${flag}.`,
    )
  }
  if (code === 'EACCES') {
    return new ListenProblem(
      `The address ${place} may not be used by this user: choose a port above 1023 with ${flag}.`,
    )
  }
  const why = error instanceof Error ? error.message : String(error)
  return new ListenProblem(
    `The address ${place} cannot be opened (${why}): choose another with ${flag}.`,
  )
}
