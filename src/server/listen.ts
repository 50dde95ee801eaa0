import type { Respond } from './server.ts'

/** A connection on which nothing happens for this long is closed; requests under way are exempt. */
const idleSeconds = 60

export interface Listener {
  readonly hostname: string
  readonly port: number
  /** Requests that are being answered now, streams included. */
  pending(): number
  stop(): Promise<void>
}

export class ListenProblem extends Error {
  override readonly name = 'ListenProblem'
}

/** Opens the port. One clear sentence when that is not possible. */
export function listen(address: { hostname: string; port: number }, respond: Respond): Listener {
  try {
    const server = Bun.serve({
      hostname: address.hostname,
      port: address.port,
      idleTimeout: idleSeconds,
      // Our own limit answers with the protocol's error body; the runtime's would be bare.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
      fetch: (request, bunServer) => {
        // Models may think for minutes without a byte; the gateway's own watchdog bounds that.
        bunServer.timeout(request, 0)
        return respond(request, bunServer.requestIP(request)?.address ?? '')
      },
    })
    return {
      hostname: address.hostname,
      port: server.port ?? address.port,
      pending: () => server.pendingRequests,
      stop: () => server.stop(true),
    }
  } catch (error) {
    throw explain(address, error)
  }
}

function explain(
  { hostname, port }: { hostname: string; port: number },
  error: unknown,
): ListenProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const place = `${hostname}:${port}`
  if (code === 'EADDRINUSE') {
    return new ListenProblem(
      `The address ${place} is taken by another program: stop that one, or choose another port with --listen.`,
    )
  }
  if (code === 'EACCES') {
    return new ListenProblem(
      `The address ${place} may not be used by this user: choose a port above 1023 with --listen.`,
    )
  }
  const why = error instanceof Error ? error.message : String(error)
  return new ListenProblem(
    `The address ${place} cannot be opened (${why}): choose another with --listen.`,
  )
}
