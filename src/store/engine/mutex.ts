/** A mutual exclusion lock, granted in the order of the calls. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()
  /** The holder and the waiting callers. */
  #count = 0

  /** True when there is no holder and no waiting caller. */
  get isFree(): boolean {
    return this.#count === 0
  }

  /** Resolves with the function that releases the lock. */
  acquire(): Promise<() => void> {
    let release: () => void = () => undefined
    const turn = this.#last
    this.#count += 1
    this.#last = new Promise((resolve) => {
      release = () => {
        this.#count -= 1
        resolve()
      }
    })
    return turn.then(() => release)
  }
}
