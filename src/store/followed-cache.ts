export interface FollowedCacheOptions<Value> {
  readonly entriesMax: number
  /** How many look-ups may be on their way to the database at once; past that a request is told to come back. */
  readonly lookupsMax: number
  load(id: string): Promise<Value | undefined>
}

export class LookupsFull extends Error {
  override readonly name = 'LookupsFull'
}

/**
 * Rows kept in memory, found in the database on first use, and forgotten as soon as a change to them is
 * announced. What does not exist is remembered too, so that guessing costs the database nothing twice.
 * The least recently used entry gives way to a new one.
 */
export class FollowedCache<Value> {
  readonly #options: FollowedCacheOptions<Value>
  readonly #entries = new Map<string, Value | undefined>()
  readonly #loading = new Map<string, Promise<Value | undefined>>()
  #generation = 0

  constructor(options: FollowedCacheOptions<Value>) {
    this.#options = options
  }

  /** The value at once when it is known; otherwise the promise of a look-up that all who ask now share. */
  get(id: string): Value | undefined | Promise<Value | undefined> {
    const known = this.#entries.get(id)
    if (known !== undefined) {
      // Order matters only where somebody has to give way; until then a look-up stays a look-up.
      if (this.#entries.size >= this.#options.entriesMax) this.#moveToEnd(id, known)
      return known
    }
    if (this.#entries.has(id)) return undefined
    return this.#loading.get(id) ?? this.#load(id)
  }

  /** What is known now, without asking the database. */
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

  /** Forgets every entry that `isAffected` names; a look-up already on its way is not trusted either. */
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
