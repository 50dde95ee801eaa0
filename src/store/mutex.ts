/** One at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()
  /** Who has the turn, and who waits for it. */
  #count = 0

  /** Nobody has the turn, and nobody waits for it. */
  get isFree(): boolean {
    return this.#count === 0
  }

  /** Resolves with the function that gives the turn back. */
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
