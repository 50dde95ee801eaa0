/** Whether the database answers, as its users observe. */
export class DatabaseAvailability {
  readonly #monotonicMs: () => number
  #lostSinceMs: number | undefined

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  /** The database has answered, even if only with an error. */
  noteAnswer(): void {
    this.#lostSinceMs = undefined
  }

  lost(): void {
    this.#lostSinceMs ??= this.#monotonicMs()
  }

  /** How long the database has not answered; 0 while it answers. */
  outOfReachMs(): number {
    return this.#lostSinceMs === undefined ? 0 : this.#monotonicMs() - this.#lostSinceMs
  }
}
