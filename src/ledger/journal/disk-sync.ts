/** Syncs written data to the disk, one sync at a time. A request during a running sync waits for the next one. */
export class DiskSync {
  readonly #sync: () => Promise<void>
  #running: Promise<void> | undefined
  #next: PromiseWithResolvers<void> | undefined

  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Resolves when a sync that began after this call has finished. */
  request(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#next ??= Promise.withResolvers<void>()
    return this.#next.promise
  }

  #start(): Promise<void> {
    const running = this.#sync()
    this.#running = running
    const goOn = (): void => {
      this.#running = undefined
      const next = this.#next
      this.#next = undefined
      if (next) this.#start().then(next.resolve, next.reject)
    }
    running.then(goOn, goOn)
    return running
  }
}
