import { sessionLifetimeMs } from '../accounts/session-store.ts'
import { formatCookie, readCookie } from './console-cookie.ts'

const cookieName = 'tollgate_session'
const tokenShape = /^[\w-]{43}$/

/** The session token from the cookie; undefined if it is absent or malformed. */
export function readSessionCookie(request: Request): string | undefined {
  return readCookie(request, cookieName, tokenShape)
}

export function sessionCookie(token: string, isSecure: boolean): string {
  return formatCookie(cookieName, token, { maxAgeSeconds: sessionLifetimeMs / 1000, isSecure })
}

export function clearedSessionCookie(isSecure: boolean): string {
  return formatCookie(cookieName, '', { maxAgeSeconds: 0, isSecure })
}
