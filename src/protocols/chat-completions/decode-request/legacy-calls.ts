/**
 * The older form of tools (`functions`, `function_call`, role `function`) has no ids: a result belongs to the last
 * unanswered call of its name. Ids are derived from the position, so that the same request always gives the same ids.
 */
export class LegacyCalls {
  #count = 0
  readonly #unanswered = new Map<string, string[]>()

  call(name: string): string {
    this.#count += 1
    const id = `call_function_${this.#count}`
    const named = this.#unanswered.get(name)
    if (named) named.push(id)
    else this.#unanswered.set(name, [id])
    return id
  }

  result(name: string): string {
    return this.#unanswered.get(name)?.pop() ?? `call_function_of_${name}`
  }
}
