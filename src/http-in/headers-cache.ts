import type { LimitHeader, LimitHeaders, RateLevels } from '../core/limits/rate-limit.ts'

/** The lists of header names that are kept. The oldest one is replaced. */
const listsMax = 16

/**
 * Headers of responses. For the runtime it is several times cheaper to copy a `Headers` object than to build one, and
 * most responses have the same names. So one object is kept for each list of names, and only values that differ from
 * those of the last response are set. The result must be passed to a `Response`, which copies it, before the next call.
 */
export class HeadersCache {
  readonly #lists: HeaderList[] = []
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  of(given: Readonly<Record<string, string>>, limits: LimitHeaders | undefined): Headers {
    const { headers, levels } = limits ?? noLimits
    for (const list of this.#lists)
      if (list.limitHeaders === headers && list.hasNamesOf(given)) return list.fill(given, levels)
    const made = new HeaderList(given, headers, this.#nowMs)
    if (this.#lists.length >= listsMax) this.#lists.shift()
    this.#lists.push(made)
    return made.fill(given, levels)
  }
}

const noLimits: LimitHeaders = { headers: [], levels: {} }

class HeaderList {
  readonly limitHeaders: readonly LimitHeader[]
  readonly #names: readonly string[]
  readonly #values: string[] = []
  readonly #limitValues: (number | undefined)[] = []
  readonly #headers = new Headers()
  readonly #nowMs: () => number
  /** Those of the last response. Many responses of a busy key share one object. */
  #levels: RateLevels | undefined

  constructor(
    given: Readonly<Record<string, string>>,
    limitHeaders: readonly LimitHeader[],
    nowMs: () => number,
  ) {
    this.#names = Object.keys(given)
    this.limitHeaders = limitHeaders
    this.#nowMs = nowMs
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
  fill(given: Readonly<Record<string, string>>, levels: RateLevels): Headers {
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
    if (levels !== this.#levels) this.#fillLimits(levels)
    return this.#headers
  }

  #fillLimits(levels: RateLevels): void {
    const nowMs = this.#nowMs()
    const kept = this.#limitValues
    let at = 0
    for (const header of this.limitHeaders) {
      const value = header.valueOf(levels, nowMs)
      if (value !== kept[at]) {
        if (value === undefined) this.#headers.delete(header.name)
        else this.#headers.set(header.name, header.textOf(value))
        kept[at] = value
      }
      at += 1
    }
    this.#levels = levels
  }
}
