import { createHash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../core/fault.ts'

/** The clients that may read `/metrics` on one listener. */
export interface MetricsAccess {
  /**
   * `nobody`: this listener does not serve metrics. `local`: any client that connects to a loopback address without a
   * proxy.
   */
  readonly open: 'nobody' | 'local' | 'everybody'
  /** If there is a token, a request needs the token, and nothing else grants access. */
  readonly token: string | undefined
}

export interface MetricsSettings {
  readonly listen: { readonly hostname: string }
  readonly metricsListen: object | undefined
  readonly metricsToken: string | undefined
}

/** The public port serves metrics only if a token guards them, or if only this machine can reach the port. */
export function mainMetricsAccess(settings: MetricsSettings): MetricsAccess {
  const { listen, metricsListen, metricsToken: token } = settings
  if (metricsListen) return { open: 'nobody', token: undefined }
  if (token !== undefined) return { open: 'everybody', token }
  return { open: isLoopback(listen.hostname) ? 'local' : 'nobody', token }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '::1' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

export function checkMetricsAccess({ headers }: Request, { open, token }: MetricsAccess): void {
  if (open === 'nobody' || (token === undefined && open === 'local' && isForwarded(headers))) {
    throw new Fault(
      'not_found',
      'Metrics are not served here. Set metricsListen to serve them on a port of their own, or metricsToken to guard them.',
    )
  }
  if (token !== undefined && !isSame(bearerOf(headers), token)) {
    throw new Fault(
      'invalid_token',
      'Metrics need the token of the setting metricsToken. Send it as "Authorization: Bearer <token>".',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
}

/** Proxies add at least one of these headers. A request through a proxy may come from any address. */
function isForwarded(headers: Headers): boolean {
  return ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip'].some((name) =>
    headers.has(name),
  )
}

function bearerOf(headers: Headers): string {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? ''
}

/** Hashes have equal length, so the comparison takes constant time for any input. */
function isSame(shown: string, token: string): boolean {
  return timingSafeEqual(hashOf(shown), hashOf(token))
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
