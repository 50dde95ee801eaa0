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

/** A cookie that only the console gets, and only from its own pages. */
export function formatCookie(
  name: string,
  value: string,
  { maxAgeSeconds, isSecure }: { readonly maxAgeSeconds: number; readonly isSecure: boolean },
): string {
  const parts = [
    `${name}=${value}`,
    'Path=/console',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ]
  return parts.join('; ')
}
