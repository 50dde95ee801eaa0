import type { Log } from './log.ts'

/** One line of an event in this time: what fails often fails for one reason. */
const lineEveryMs = 10_000

/**
 * Logs failures that come in crowds when something that all depend on is away. The first of each event is written at
 * once, later ones together: the last reason, and how many there were.
 */
export class RepeatedErrors {
  readonly #log: Log
  readonly #monotonicMs: () => number
  readonly #events = new Map<string, { lastMs: number; untold: number }>()

  constructor(log: Log, monotonicMs: () => number) {
    this.#log = log
    this.#monotonicMs = monotonicMs
  }

  tell(event: string, error: unknown): void {
    const nowMs = this.#monotonicMs()
    const known = this.#events.get(event)
    if (known && nowMs - known.lastMs < lineEveryMs) {
      known.untold += 1
      return
    }
    const times = (known?.untold ?? 0) + 1
    this.#events.set(event, { lastMs: nowMs, untold: 0 })
    this.#log.error(event, { why: String(error), ...(times > 1 ? { times } : {}) })
  }
}
