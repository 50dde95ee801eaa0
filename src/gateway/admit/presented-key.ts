import { Fault } from '../../core/fault.ts'
import { keyInQueryOf } from './protocol-of-call.ts'

const headerNames = ['x-api-key', 'x-goog-api-key', 'x-vendor-api-key', 'api-key'] as const

/**
 * Reads the key that a request presents. Every endpoint accepts it in any header that clients of the protocols use; the
 * paths of some protocols also accept it in the query. Two different keys are refused, because the owner of the request
 * would be ambiguous.
 */
export function readPresentedKey(headers: Headers, path: string, query: string): string {
  let key = readBearer(headers.get('authorization'))
  for (const name of headerNames) key = sameKey(key, headers.get(name)?.trim())
  const inQuery = query === '' ? undefined : keyInQueryOf(path)
  if (inQuery !== undefined) key = sameKey(key, new URLSearchParams(query).get(inQuery))
  if (key !== undefined) return key
  throw invalidToken('none. Send one in the header "Authorization: Bearer <API_KEY>".')
}

const bearer = 'Bearer '
const blank = /[ \t]/

function readBearer(authorization: string | null): string | undefined {
  // Nearly every client uses this spelling. The pattern covers the others.
  if (authorization?.startsWith(bearer)) {
    const key = authorization.slice(bearer.length)
    if (key !== '' && !blank.test(key)) return key
  }
  return authorization === null ? undefined : /^Bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization)?.[1]
}

function sameKey(known: string | undefined, found: string | null | undefined): string | undefined {
  if (!found || found === known) return known
  if (known === undefined) return found
  throw invalidToken('the request carries two different API keys. Send one.')
}

/**
 * The same message for every invalid key: the exact reason would help only an attacker. "Incorrect API key provided" is
 * OpenAI's text: a widespread client library recognises an invalid key by this text, not by the status.
 */
export function invalidToken(message: string): Fault {
  return new Fault('invalid_token', `Invalid token. Incorrect API key provided: ${message}`)
}
