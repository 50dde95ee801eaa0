import { pathStartOf } from './path-start.ts'
import type { Respond } from './server.ts'

/** How long a browser may cache the answer to a preflight request, in seconds. */
const rememberSeconds = 24 * 60 * 60

/**
 * Lets web pages of these origins call the model endpoints from a browser; `*` allows all origins. A key authenticates
 * the caller, never a cookie, so a page without a key can do nothing. The console is not among these endpoints.
 */
export function allowOrigins(respond: Respond, origins: readonly string[]): Respond {
  if (origins.length === 0) return respond
  const isForAll = origins.includes('*')
  const allowed = new Set(origins)
  return async (request, peer, arrival) => {
    const origin = request.headers.get('origin')
    const isMeant = origin !== null && (isForAll || allowed.has(origin.toLowerCase()))
    const { url } = request
    const isSound = arrival?.problem === undefined
    if (!isMeant || !isSound || !url.startsWith('/v1', pathStartOf(url)))
      return respond(request, peer, arrival)
    const corsHeaders = { 'access-control-allow-origin': isForAll ? '*' : origin, vary: 'origin' }
    if (request.method === 'OPTIONS' && request.headers.has('access-control-request-method')) {
      return new Response(null, { status: 204, headers: { ...corsHeaders, ...mayBeSent(request) } })
    }
    const response = await respond(request, peer, arrival)
    for (const [name, value] of Object.entries(corsHeaders)) response.headers.set(name, value)
    // The request id, the cost and the warnings are in headers.
    response.headers.set('access-control-expose-headers', '*')
    return response
  }
}

/** Allows every header that the client asks for: each SDK sends headers of its own. */
function mayBeSent(request: Request): Record<string, string> {
  const asked = request.headers.get('access-control-request-headers')
  return {
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
    ...(asked === null ? {} : { 'access-control-allow-headers': asked }),
    'access-control-max-age': String(rememberSeconds),
  }
}
