/** Whether the database answers, as those who ask it find out. */
export class DatabaseReach {
  readonly #monotonicMs: () => number
  #lostSinceMs: number | undefined

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** It has answered, if only with an error. */
  heard(): void {
    this.#lostSinceMs = undefined
  }

  lost(): void {
    this.#lostSinceMs ??= this.#monotonicMs()
  }

  /** For how long nobody who asked has been answered; 0 while it answers. */
  outOfReachMs(): number {
    return this.#lostSinceMs === undefined ? 0 : this.#monotonicMs() - this.#lostSinceMs
  }
}
