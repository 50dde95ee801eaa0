import type { Clock } from '../../src/core/time/clock.ts'
import { MemoryDisk } from '../support/ledger/memory-disk.ts'
import type { Chance } from './chance.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A disk and the clocks of the processes on one machine. */
export class Machine {
  readonly disk: MemoryDisk
  /** The times of its power losses. */
  readonly powerLostAtMs: number[] = []
  /** The disk is full. */
  isFull = false
  readonly #time: VirtualTime
  /** The true time at the start. */
  readonly #startMs: number
  #wallOffMs: number
  /** The time that the machine has slept, which its monotonic clock does not include. */
  #sleptMs = 0

  constructor(time: VirtualTime, chance: Chance, startMs: number, disk = new MemoryDisk()) {
    this.#time = time
    this.#startMs = startMs
    this.#wallOffMs = chance.whole(-2_000, 2_000)
    this.disk = disk
  }

  readonly clock: Clock = {
    nowMs: () => this.#startMs + this.#time.nowMs + this.#wallOffMs,
    monotonicMs: () => this.#time.nowMs - this.#sleptMs,
  }

  setWall(byMs: number): void {
    this.#wallOffMs += byMs
  }

  /** The machine sleeps. Its wall clock is right again when it wakes up. */
  missTime(ms: number): void {
    this.#sleptMs += ms
  }
}
