/** The lists of header names that are kept. The oldest one is replaced. */
const listsMax = 16

/** Undefined: the header is not sent. */
type GivenHeaders = Readonly<Record<string, string | undefined>>

/**
 * Headers of responses. For the runtime it is several times cheaper to copy a `Headers` object than to build one, and
 * most responses have the same names. So one object is kept for each list of names, and only values that differ from
 * those of the last response are set. The result must be passed to a `Response`, which copies it, before the next call.
 */
export class KeptHeaders {
  readonly #lists: HeaderList[] = []

  /** `limits` come first: they tell lists of names apart at the first name. */
  of(given: GivenHeaders, limits: GivenHeaders = noHeaders): Headers {
    for (const list of this.#lists) {
      const end = list.indexAfter(limits, 0)
      if (list.indexAfter(given, end) === list.length) return list.fill(given, limits)
    }
    const made = new HeaderList(given, limits)
    if (this.#lists.length >= listsMax) this.#lists.shift()
    this.#lists.push(made)
    return made.fill(given, limits)
  }
}

const noHeaders: GivenHeaders = {}

class HeaderList {
  readonly #names: readonly string[]
  readonly #values: (string | undefined)[] = []
  readonly #headers = new Headers()

  constructor(given: GivenHeaders, limits: GivenHeaders) {
    this.#names = [...Object.keys(limits), ...Object.keys(given)]
  }

  get length(): number {
    return this.#names.length
  }

  /** The index after the given names, which begin at `at`; NaN if others are there. */
  indexAfter(given: GivenHeaders, at: number): number {
    const names = this.#names
    let next = at
    // A list of the names would be another object for each response.
    for (const name in given) {
      if (name !== names[next]) return Number.NaN
      next += 1
    }
    return next
  }

  /** Throws for an invalid value, and keeps the previous one. */
  fill(given: GivenHeaders, limits: GivenHeaders): Headers {
    this.#set(given, this.#set(limits, 0))
    return this.#headers
  }

  #set(given: GivenHeaders, at: number): number {
    const values = this.#values
    let next = at
    for (const name in given) {
      const value = given[name]
      if (value !== values[next]) {
        if (value === undefined) this.#headers.delete(name)
        else this.#headers.set(name, value)
        values[next] = value
      }
      next += 1
    }
    return next
  }
}
