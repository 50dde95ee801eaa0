/**
 * The older form of tools (`functions`, `function_call`, role `function`) has no ids: a result belongs to the
 * last call of its name that has none. The ids are made of the position, so that a request gives the same each time.
 */
export class LegacyCalls {
  #count = 0
  readonly #unanswered: { readonly name: string; readonly id: string }[] = []

  call(name: string): string {
    this.#count += 1
    const id = `call_function_${this.#count}`
    this.#unanswered.push({ name, id })
    return id
  }

  result(name: string): string {
    const at = this.#unanswered.findLastIndex((each) => each.name === name)
    return this.#unanswered.splice(at, at < 0 ? 0 : 1)[0]?.id ?? `call_function_of_${name}`
  }
}
