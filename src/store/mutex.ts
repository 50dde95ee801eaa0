/** One at a time, in the order of asking. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()

  /** Resolves with the function that gives the turn back. */
  acquire(): Promise<() => void> {
    let release: () => void = () => undefined
    const turn = this.#last
    this.#last = new Promise((resolve) => {
      release = resolve
    })
    return turn.then(() => release)
  }
}
