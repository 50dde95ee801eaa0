import { Fault } from '../core/fault.ts'

const headerNames = ['x-api-key', 'x-goog-api-key', 'x-vendor-api-key'] as const

/**
 * The key that a request presents: in any of the headers that the protocols' clients use, on every endpoint,
 * and on /v1beta also in the query. Two different ones are refused: nobody could say whose request it is.
 */
export function readPresentedKey(headers: Headers, path: string, query: string): string {
  const found = new Set<string>()
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const token = /^Bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization)?.[1]
    if (token !== undefined) found.add(token)
  }
  for (const name of headerNames) {
    const value = headers.get(name)?.trim()
    if (value) found.add(value)
  }
  if (query !== '' && path.startsWith('/v1beta/')) {
    const value = new URLSearchParams(query).get('key')
    if (value) found.add(value)
  }
  const [key, another] = found
  if (another !== undefined) {
    throw invalidToken('The request carries two different API keys. Send one.')
  }
  if (key === undefined) {
    throw invalidToken(
      'The request carries no API key. Send one in the header "Authorization: Bearer <API_KEY>".',
    )
  }
  return key
}

/** The same words for every key that is not good: which of the reasons it is would help only a guesser. */
export function invalidToken(message: string): Fault {
  return new Fault('invalid_token', `Invalid token: ${message}`)
}
