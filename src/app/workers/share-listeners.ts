import type { Config } from '../../config/config.ts'
import { type Listener, listen } from '../../http-in/listen.ts'
import { claimName } from '../start/claim-name.ts'
import { listenMetrics, type MetricsListenerDeps } from '../start/listen-metrics.ts'
import type { Listeners } from '../start/open-listeners.ts'
import type { WorkerRole } from './worker-role.ts'

/**
 * The ports of a worker, which it shares with the others. They are opened only when the worker can answer: until then
 * the other workers get all connections. The supervisor has checked that no other gateway has the ports.
 */
export function shareListeners(
  config: Config,
  role: WorkerRole,
  parts: MetricsListenerDeps,
): Listeners {
  const { replica, port, metricsPort } = role
  const { hostname } = config.listen
  const name = claimName(config.data, replica)
  let main: Listener | undefined
  let metrics: Listener | undefined
  const stopMetrics = async (): Promise<void> => metrics?.stop()
  return {
    replica,
    listener: {
      hostname,
      port,
      pending: () => main?.pending() ?? 0,
      stopAccepting: async () => {
        await Promise.all([main?.stopAccepting(), metrics?.stopAccepting()])
      },
      stop: async () => main?.stop(),
    },
    answerWith: (respond) => {
      main = listen({ hostname, port, isShared: true }, respond)
      const address = config.metricsListen && { ...config.metricsListen, port: metricsPort ?? 0 }
      metrics = listenMetrics({ metricsListen: address, isShared: true }, parts)
    },
    stopMetrics,
    close: async () => {
      await main?.stop()
      await stopMetrics()
      name.release()
    },
  }
}
