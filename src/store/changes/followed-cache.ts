export interface FollowedCacheOptions<Value> {
  readonly entriesMax: number
  /** Maximum number of concurrent look-ups in the database. Beyond it, a request is refused and asked to retry. */
  readonly lookupsMax: number
  load(id: string): Promise<Value | undefined>
}

export class LookupsFull extends Error {
  override readonly name = 'LookupsFull'
}

/**
 * Rows cached in memory: loaded on first use, and forgotten as soon as a change of them is announced. Missing ids are
 * cached too, so that a repeated guess costs the database nothing. A new entry replaces the least recently used one.
 */
export class FollowedCache<Value> {
  readonly #options: FollowedCacheOptions<Value>
  readonly #entries = new Map<string, Value | undefined>()
  readonly #loading = new Map<string, Promise<Value | undefined>>()
  #generation = 0

  constructor(options: FollowedCacheOptions<Value>) {
    this.#options = options
  }

  /** Returns a cached value at once; otherwise the promise of a look-up that all concurrent callers share. */
  get(id: string): Value | undefined | Promise<Value | undefined> {
    const known = this.#entries.get(id)
    if (known !== undefined) {
      // The order matters only when an entry must be evicted; until then a hit does not change the map.
      if (this.#entries.size >= this.#options.entriesMax) this.#moveToEnd(id, known)
      return known
    }
    if (this.#entries.has(id)) return undefined
    return this.#loading.get(id) ?? this.#load(id)
  }

  /** The cached value, without asking the database. */
  peek(id: string): Value | undefined {
    return this.#entries.get(id)
  }

  set(id: string, value: Value | undefined): void {
    this.#entries.delete(id)
    if (this.#entries.size >= this.#options.entriesMax) {
      const oldest = this.#entries.keys().next().value
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(id, value)
  }

  /** Forgets every entry that `isAffected` selects. Running look-ups are not cached either. */
  forget(isAffected: (value: Value | undefined, id: string) => boolean): void {
    this.#generation += 1
    this.#loading.clear()
    for (const [id, value] of this.#entries) if (isAffected(value, id)) this.#entries.delete(id)
  }

  #moveToEnd(id: string, value: Value): void {
    this.#entries.delete(id)
    this.#entries.set(id, value)
  }

  #load(id: string): Promise<Value | undefined> {
    if (this.#loading.size >= this.#options.lookupsMax) {
      return Promise.reject(new LookupsFull('too many look-ups at once'))
    }
    const generation = this.#generation
    const loading = this.#options
      .load(id)
      .then((value) => {
        if (generation === this.#generation) this.set(id, value)
        return value
      })
      .finally(() => {
        if (this.#loading.get(id) === loading) this.#loading.delete(id)
      })
    this.#loading.set(id, loading)
    return loading
  }
}
