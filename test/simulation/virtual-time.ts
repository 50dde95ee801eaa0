import { TimerHeap, type VirtualTimer } from './timer-heap.ts'

const names = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
] as const
const { setImmediate: realTurn } = globalThis

/**
 * Time that advances only when nothing more can happen at the current moment. While it is active, it replaces the
 * timers of the whole process.
 */
export class VirtualTime {
  #nowMs = 0
  #nextId = 1
  #owner: object | undefined
  readonly #timers = new Map<number, VirtualTimer>()
  readonly #queue = new TimerHeap()

  get nowMs(): number {
    return this.#nowMs
  }

  /** Replaces the timers until the returned function is called. */
  rule(): () => void {
    const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
    const clear = (id: number | undefined): void => {
      const timer = id === undefined ? undefined : this.#timers.get(id)
      if (timer) this.#end(timer)
    }
    Object.assign(globalThis, {
      setTimeout: (work: () => void, ms = 0) => this.#add(work, ms),
      setInterval: (work: () => void, ms = 0) => this.#add(work, ms, ms),
      setImmediate: (work: () => void) => this.#add(work, 0),
      clearTimeout: clear,
      clearInterval: clear,
    })
    return () => void Object.assign(globalThis, before)
  }

  /** Timers that `make` starts synchronously end together with `owner`. */
  owned<T>(owner: object, make: () => T): T {
    this.#owner = owner
    try {
      return make()
    } finally {
      this.#owner = undefined
    }
  }

  endTimersOf(owner: object): void {
    for (const timer of this.#timers.values()) if (timer.owner === owner) this.#end(timer)
  }

  /** The timers of `owner` fire when it wakes up. */
  delayTimersOf(owner: object, untilMs: number): void {
    for (const timer of this.#timers.values()) {
      if (timer.owner !== owner || timer.atMs >= untilMs) continue
      this.#end(timer)
      this.#put({ ...timer, atMs: untilMs, isOver: false })
    }
  }

  after(ms: number, work: () => void): void {
    this.#add(work, ms)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  /** Lets time pass up to `untilMs`, or until `isOver` returns true; returns whether it did. */
  async pass(untilMs: number, isOver: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      await new Promise<void>((resolve) => {
        realTurn(resolve)
      })
      if (isOver()) return true
      const next = this.#queue.first()
      if (!next || next.atMs > untilMs) {
        this.#nowMs = untilMs
        return isOver()
      }
      this.#queue.removeFirst()
      this.#fire(next)
    }
  }

  #fire(timer: VirtualTimer): void {
    this.#nowMs = Math.max(this.#nowMs, timer.atMs)
    this.#timers.delete(timer.id)
    if (timer.everyMs !== undefined) this.#put({ ...timer, atMs: this.#nowMs + timer.everyMs })
    timer.work()
  }

  #add(work: () => void, ms: number, everyMs?: number): number {
    const id = this.#nextId
    this.#nextId += 1
    const atMs = this.#nowMs + Math.max(0, ms)
    this.#put({ id, atMs, everyMs, work, owner: this.#owner, isOver: false })
    return id
  }

  #put(timer: VirtualTimer): void {
    this.#timers.set(timer.id, timer)
    this.#queue.add(timer)
  }

  #end(timer: VirtualTimer): void {
    timer.isOver = true
    this.#timers.delete(timer.id)
  }
}
