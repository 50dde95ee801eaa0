import { Fault } from '../../core/fault.ts'
import { keyInQueryOf } from './protocol-of-call.ts'

const headerNames = ['x-api-key', 'x-goog-api-key', 'x-vendor-api-key', 'api-key'] as const

/**
 * The key that a request presents: in any of the headers that the protocols' clients use, on every endpoint,
 * and on the paths of a protocol that allows it also in the query. Two different ones are refused: nobody could say whose request it is.
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
  // Nearly every client writes it so; the pattern is for the rest.
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
 * The same words for every key that is not good: which of the reasons it is would help only a guesser. The second
 * words are OpenAI's: by them, and not by the status, a widespread client library knows a wrong key.
 */
export function invalidToken(message: string): Fault {
  return new Fault('invalid_token', `Invalid token. Incorrect API key provided: ${message}`)
}
