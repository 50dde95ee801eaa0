import type { MetricFamily } from '../../telemetry/metric-family.ts'
import { isObject } from '../../wire/json.ts'

/* The messages between the supervisor and its workers, over the channel that the runtime opens to a child. */

/** `replaced`: a new worker is ready, and gets the new connections. */
export type StopOrder = 'SIGTERM' | 'SIGINT' | 'replaced'

export type ToWorker =
  | { readonly kind: 'stop'; readonly order: StopOrder }
  /** Why the workers together are not ready; null when they are. */
  | { readonly kind: 'group'; readonly problem: string | null }
  | { readonly kind: 'read-metrics' }
  /** The answer to `collect-metrics`. */
  | { readonly kind: 'metrics'; readonly text: string }

export type ToSupervisor =
  /** The worker serves. */
  | { readonly kind: 'serving'; readonly banner: string }
  /** Why this worker is not ready; null when it is. */
  | { readonly kind: 'state'; readonly problem: string | null }
  | { readonly kind: 'families'; readonly families: readonly MetricFamily[] }
  | { readonly kind: 'collect-metrics' }

/** Both ends are this program, so the kind is enough. A message of an unknown kind is ignored. */
export function isMessage(value: unknown): value is ToWorker | ToSupervisor {
  return isObject(value) && typeof value['kind'] === 'string'
}
