import type { Config } from '../../config/config.ts'
import { newId } from '../../core/id.ts'
import { type Listener, listen } from '../../http-in/listen.ts'
import type { Respond } from '../../http-in/server.ts'
import { claimName } from './claim-name.ts'
import { listenMetrics, type MetricsListenerDeps } from './listen-metrics.ts'
import { replicaName } from './replica-name.ts'

/** The ports and the name of this process, which no other running process may have. */
export interface Listeners {
  readonly listener: Listener
  readonly replica: string
  /** Starts to serve requests. Before that, requests get 503 with `Retry-After`. */
  answerWith(respond: Respond): void
  stopMetrics(): Promise<void>
  close(): Promise<void>
}

/**
 * Takes the ports and the name first: a process that cannot have them must neither migrate the
 * database nor take the leases of the process that has them.
 */
export function openListeners(config: Config, parts: MetricsListenerDeps): Listeners {
  // The same response as during a stop, so that a load balancer uses another replica.
  let respond: Respond = async () =>
    new Response('starting\n', { status: 503, headers: { 'retry-after': '1' } })
  const opened: (() => Promise<void> | void)[] = []
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0)) await each()
  }
  try {
    const listener = listen(config.listen, (...call) => respond(...call))
    opened.push(() => listener.stop())
    const metrics = listenMetrics(config, parts)
    const stopMetrics = async (): Promise<void> => metrics?.stop()
    opened.push(stopMetrics)
    const lasting = replicaName(config, listener.port)
    const replica = lasting ?? newId('replica')
    // A name that is generated at each start is unique.
    const name = lasting === undefined ? undefined : claimName(config.data, replica)
    opened.push(() => name?.release())
    const answerWith = (other: Respond): void => {
      respond = other
    }
    return { listener, replica, answerWith, stopMetrics, close }
  } catch (error) {
    void close()
    throw error
  }
}
