interface Timer {
  atMs: number
  readonly everyMs: number | undefined
  readonly work: () => void
  readonly owner: object | undefined
}

const names = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
] as const
const { setImmediate: realTurn } = globalThis

/**
 * Time that passes only when everything that can happen at one moment has happened. While it rules, the timers of the
 * whole process are its own.
 */
export class VirtualTime {
  #nowMs = 0
  #nextId = 1
  #owner: object | undefined
  readonly #timers = new Map<number, Timer>()

  get nowMs(): number {
    return this.#nowMs
  }

  /** Takes over until the function that it returns is called. */
  rule(): () => void {
    const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
    const clear = (id: number | undefined): void =>
      void (id !== undefined && this.#timers.delete(id))
    Object.assign(globalThis, {
      setTimeout: (work: () => void, ms = 0) => this.#add(work, ms),
      setInterval: (work: () => void, ms = 0) => this.#add(work, ms, ms),
      setImmediate: (work: () => void) => this.#add(work, 0),
      clearTimeout: clear,
      clearInterval: clear,
    })
    return () => void Object.assign(globalThis, before)
  }

  /** The timers that `make` starts at once end with `owner`. */
  owned<T>(owner: object, make: () => T): T {
    this.#owner = owner
    try {
      return make()
    } finally {
      this.#owner = undefined
    }
  }

  endTimersOf(owner: object): void {
    for (const [id, timer] of this.#timers) if (timer.owner === owner) this.#timers.delete(id)
  }

  after(ms: number, work: () => void): void {
    this.#add(work, ms)
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve)
    })
  }

  /** Lets time pass until `isOver` says so; throws when that is not before `untilMs`. */
  async pass(untilMs: number, isOver: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      await new Promise<void>((resolve) => {
        realTurn(resolve)
      })
      if (isOver()) return true
      const next = this.#next()
      if (!next || next[1].atMs > untilMs) {
        this.#nowMs = untilMs
        return isOver()
      }
      this.#fire(...next)
    }
  }

  #next(): [number, Timer] | undefined {
    let first: [number, Timer] | undefined
    for (const each of this.#timers) if (!first || each[1].atMs < first[1].atMs) first = each
    return first
  }

  #fire(id: number, timer: Timer): void {
    this.#nowMs = Math.max(this.#nowMs, timer.atMs)
    if (timer.everyMs === undefined) this.#timers.delete(id)
    else timer.atMs = this.#nowMs + timer.everyMs
    timer.work()
  }

  #add(work: () => void, ms: number, everyMs?: number): number {
    const id = this.#nextId
    this.#nextId += 1
    this.#timers.set(id, { atMs: this.#nowMs + Math.max(0, ms), everyMs, work, owner: this.#owner })
    return id
  }
}
