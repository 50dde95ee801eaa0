import { tokenPattern } from '../../accounts/random-token.ts'
import { sessionLifetimeMs } from '../../accounts/session-store.ts'
import { cookieNameOf, formatCookie, readCookie } from './console-cookie.ts'

const cookieName = 'tollgate_session'
const plainShape = new RegExp(`^${tokenPattern}$`)
const secureShape = new RegExp(`^h\\.${tokenPattern}$`)

/**
 * The session token from the cookie; undefined if it is absent or malformed. Over https, the name without a prefix is
 * read only for sessions from before the prefix, whose tokens have another form: a token of a later session does not
 * work under that name.
 */
export function readSessionCookie(request: Request, isSecure: boolean): string | undefined {
  if (!isSecure) return readCookie(request, cookieName, plainShape)
  const name = cookieNameOf(cookieName, true)
  if (readCookie(request, name, /^/) !== undefined) return readCookie(request, name, secureShape)
  return readCookie(request, cookieName, plainShape)
}

export function sessionCookie(token: string, isSecure: boolean): string {
  return formatCookie(cookieName, token, { maxAgeSeconds: sessionLifetimeMs / 1000, isSecure })
}

/** Deletes the cookie, and over https also one from before the prefix. */
export function clearedSessionCookies(isSecure: boolean): string[] {
  const names = isSecure ? [true, false] : [false]
  return names.map((each) => formatCookie(cookieName, '', { maxAgeSeconds: 0, isSecure: each }))
}
