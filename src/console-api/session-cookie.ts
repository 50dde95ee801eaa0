import { sessionLifetimeMs } from '../accounts/session-store.ts'

const cookieName = 'tollgate_session'
const tokenShape = /^[\w-]{43}$/

/** The session token from the cookie; undefined if it is absent or malformed. */
export function readSessionCookie(request: Request): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === cookieName && tokenShape.test(value)) return value
  }
  return undefined
}

export function sessionCookie(token: string, isSecure: boolean): string {
  return formatCookie(token, sessionLifetimeMs / 1000, isSecure)
}

export function clearedSessionCookie(isSecure: boolean): string {
  return formatCookie('', 0, isSecure)
}

function formatCookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  const parts = [
    `${cookieName}=${value}`,
    'Path=/console',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ]
  return parts.join('; ')
}
