import { csrfHeader, csrfValue } from '../contract.ts'
import { ApiRefusal } from '../refusal.ts'

/**
 * Refuses a change that a page of another site could have caused. Browsers report the origin of a request in
 * Sec-Fetch-Site, or at least in Origin on plain http. A form cannot send our own header.
 */
export function checkSameSite(request: Request): void {
  if (request.headers.get(csrfHeader) === csrfValue && comesFromOurPages(request)) return
  throw new ApiRefusal(
    'cross_site',
    `This change did not come from the console. Programs must send ${csrfHeader}: ${csrfValue}.`,
  )
}

function comesFromOurPages(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  if (origin === null) return true
  // The scheme is not compared: behind a proxy that terminates TLS, the gateway itself is reached by http.
  return URL.canParse(origin) && new URL(origin).host === request.headers.get('host')
}
