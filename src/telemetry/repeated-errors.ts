import type { LogEvent } from '../core/telemetry/log-event.ts'
import type { Log } from './log.ts'

/** At most one line per event in this time: repeated failures usually have one cause. */
const lineEveryMs = 10_000

/**
 * Logs failures that occur in large numbers when a shared dependency is down. The first failure of each event is logged
 * at once. Later ones are combined into one line: the last reason and the count.
 */
export class RepeatedErrors {
  readonly #log: Log
  readonly #monotonicMs: () => number
  readonly #events = new Map<LogEvent, { lastMs: number; unreported: number }>()

  constructor(log: Log, monotonicMs: () => number) {
    this.#log = log
    this.#monotonicMs = monotonicMs
  }

  log(event: LogEvent, error: unknown): void {
    const nowMs = this.#monotonicMs()
    const known = this.#events.get(event)
    if (known && nowMs - known.lastMs < lineEveryMs) {
      known.unreported += 1
      return
    }
    const times = (known?.unreported ?? 0) + 1
    this.#events.set(event, { lastMs: nowMs, unreported: 0 })
    this.#log.error(event, { why: String(error), ...(times > 1 ? { times } : {}) })
  }
}
