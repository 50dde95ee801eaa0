import type { Clock } from '../../src/core/clock.ts'
import { MemoryDisk } from '../support/ledger/memory-disk.ts'
import type { Chance } from './chance.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A disk and clocks that processes live on. */
export class Machine {
  readonly disk: MemoryDisk
  /** When its power was lost. */
  readonly powerLostAtMs: number[] = []
  /** Its disk takes no more. */
  isFull = false
  readonly #time: VirtualTime
  /** The true time at the start. */
  readonly #startMs: number
  #wallOffMs: number
  /** How long the machine has slept: its monotonic clock has missed that. */
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

  /** The machine itself stands still, and its clock on the wall is right again when it wakes up. */
  missTime(ms: number): void {
    this.#sleptMs += ms
  }
}
