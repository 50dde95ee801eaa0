interface OpenCall {
  readonly id: string
  readonly name: string
}

/** Pairs results with calls: by id, else with the oldest unanswered call of the same name. */
export class CallBook {
  #open: OpenCall[] = []

  add(id: string, name: string): void {
    this.#open.push({ id, name })
  }

  /** The id of the call that this result answers; undefined when there is none. */
  answer(id: string | undefined, name: string): string | undefined {
    const call =
      this.#open.find((each) => each.id === id) ?? this.#open.find((each) => each.name === name)
    if (!call) return undefined
    this.#open = this.#open.filter((each) => each !== call)
    return call.id
  }
}
