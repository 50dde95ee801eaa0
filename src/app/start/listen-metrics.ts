import type { Config } from '../../config/config.ts'
import { asFault, Fault } from '../../core/fault.ts'
import { newRequestId } from '../../core/id.ts'
import { type Listener, listen } from '../../http-in/listen.ts'
import { checkMetricsAccess, isLoopback } from '../../http-in/metrics-access.ts'
import type { Log } from '../../telemetry/log.ts'

export interface MetricsListenerDeps {
  readonly nowMs: () => number
  renderMetrics(): string | Promise<string>
  /** The token that is in force now. */
  metricsToken(): string | undefined
}

/** `/metrics` on a separate port; undefined when none is configured. */
export function listenMetrics(
  config: Pick<Config, 'metricsListen'> & { readonly isShared?: boolean },
  deps: MetricsListenerDeps,
): Listener | undefined {
  const { metricsListen, isShared = false } = config
  if (!metricsListen) return undefined
  const address = { ...metricsListen, flag: '--metrics-listen', isShared }
  return listen(address, async (request, _, arrival) => {
    const requestId = newRequestId(deps.nowMs())
    try {
      if (arrival?.problem !== undefined) throw new Fault('invalid_request', arrival.problem)
      if (new URL(request.url).pathname !== '/metrics')
        throw new Fault('not_found', 'Only /metrics is served here.')
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new Fault('method_not_allowed', 'Read metrics with GET.')
      checkMetricsAccess(request, { open: 'everybody', token: deps.metricsToken() })
      return text(200, await deps.renderMetrics(), requestId)
    } catch (error) {
      const { status, message, details } = asFault(error)
      return text(status, `${message}\n`, requestId, details.headers)
    }
  })
}

/** Tells operators at startup why `/metrics` is not served. */
export function logPrivateMetrics(config: Config, log: Log): void {
  const { listen: main, metricsListen, metricsToken } = config
  if (metricsListen || metricsToken !== undefined || isLoopback(main.hostname)) return
  log.warn('metrics_private', {
    why: 'listen is not a loopback address, and neither metricsListen nor metricsToken is set',
    todo: 'set metricsListen or metricsToken to serve /metrics',
  })
}

function text(
  status: number,
  body: string,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  })
}
