import type { VirtualTime } from './virtual-time.ts'

/** The state of one process between its start and its end, including facts that the process does not know. */
export class Life {
  readonly startedAtMs: number
  readonly #time: VirtualTime
  #endedAtMs: number | undefined
  /** The process is suspended until this time. */
  asleepUntilMs = 0
  /** The process cannot reach the database. */
  isCutOff = false
  /** A write of its journal has failed. */
  hasDiskFault = false
  isJournalDamaged = false

  constructor(time: VirtualTime) {
    this.#time = time
    this.startedAtMs = time.nowMs
  }

  get isOver(): boolean {
    return this.#endedAtMs !== undefined
  }

  get endedAtMs(): number | undefined {
    return this.#endedAtMs
  }

  end(): void {
    this.#endedAtMs ??= this.#time.nowMs
    this.#time.endTimersOf(this)
  }

  /** Whether both lives overlap. */
  overlaps(other: Life): boolean {
    return (other.#endedAtMs ?? Number.POSITIVE_INFINITY) > this.startedAtMs
  }

  sleep(untilMs: number): void {
    this.asleepUntilMs = Math.max(this.asleepUntilMs, untilMs)
    this.#time.delayTimersOf(this, this.asleepUntilMs)
  }

  /** Resolves when the process is awake, at once if it is. */
  async awake(): Promise<void> {
    while (this.asleepUntilMs > this.#time.nowMs) {
      await this.#time.sleep(this.asleepUntilMs - this.#time.nowMs)
    }
  }
}
