/** The lists of header names that are kept. The oldest one is replaced. */
const listsMax = 16

/**
 * Headers of responses. For the runtime it is several times cheaper to copy a `Headers` object than to build one, and
 * most responses have the same names. So one object is kept for each list of names, and only values that differ from
 * those of the last response are set. The result must be passed to a `Response`, which copies it, before the next call.
 */
export class KeptHeaders {
  readonly #lists: HeaderList[] = []

  of(given: Readonly<Record<string, string>>): Headers {
    for (const list of this.#lists) if (list.hasNamesOf(given)) return list.fill(given)
    const made = new HeaderList(given)
    if (this.#lists.length >= listsMax) this.#lists.shift()
    this.#lists.push(made)
    return made.fill(given)
  }
}

class HeaderList {
  readonly #names: readonly string[]
  readonly #values: string[] = []
  readonly #headers = new Headers()

  constructor(given: Readonly<Record<string, string>>) {
    this.#names = Object.keys(given)
  }

  hasNamesOf(given: Readonly<Record<string, string>>): boolean {
    const names = this.#names
    let at = 0
    // A list of the names would be another object for each response.
    for (const name in given) {
      if (name !== names[at]) return false
      at += 1
    }
    return at === names.length
  }

  /** Throws for an invalid value, and keeps the previous one. */
  fill(given: Readonly<Record<string, string>>): Headers {
    const values = this.#values
    let at = 0
    for (const name in given) {
      const value = given[name] ?? ''
      if (value !== values[at]) {
        this.#headers.set(name, value)
        values[at] = value
      }
      at += 1
    }
    return this.#headers
  }
}
