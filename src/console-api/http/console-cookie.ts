import { consoleRoot } from '../root-paths.ts'
/** The value of a cookie that has this shape; undefined if it is absent or malformed. */
export function readCookie(
  request: Request,
  cookieName: string,
  shape: RegExp,
): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2)
    if (name === cookieName && shape.test(value)) return value
  }
  return undefined
}

interface CookieOptions {
  readonly maxAgeSeconds: number
  readonly isSecure: boolean
  readonly path?: string
  /** Lax: the browser also sends the cookie when a link or a redirect of another site leads here. */
  readonly sameSite?: 'Strict' | 'Lax'
}

/**
 * The name of a cookie in the browser. Over https it has a prefix that browsers accept only for a cookie of exactly this
 * host: otherwise a page of a neighbouring subdomain could set one, such as the session of an attacker (decision 78).
 */
export function cookieNameOf(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name
}

/**
 * A cookie that only the console gets, and only from its own pages unless the options say otherwise. The prefix of
 * `cookieNameOf` needs the path `/`; the gateway ignores the cookie elsewhere.
 */
export function formatCookie(
  name: string,
  value: string,
  { maxAgeSeconds, isSecure, path = consoleRoot, sameSite = 'Strict' }: CookieOptions,
): string {
  const parts = [
    `${cookieNameOf(name, isSecure)}=${value}`,
    `Path=${isSecure ? '/' : path}`,
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
  ]
  return parts.join('; ')
}
