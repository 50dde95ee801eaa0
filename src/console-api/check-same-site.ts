import { csrfHeader, csrfValue } from './contract.ts'
import { ApiRefusal } from './refusal.ts'

/**
 * Refuses a change that another site's page could have caused. Browsers tell where a request comes from in
 * Sec-Fetch-Site, or on plain http at least in Origin; the header of our own is what a form cannot send.
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
  // The scheme is not compared: behind a proxy that ends TLS the gateway itself is reached by http.
  return URL.canParse(origin) && new URL(origin).host === request.headers.get('host')
}
