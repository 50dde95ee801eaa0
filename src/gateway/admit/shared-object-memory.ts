/** Limit of this process. */
const entriesMax = 20_000
/** Vendors keep most of these objects for less than an hour, and some for days. */
const keptMs = 24 * 60 * 60 * 1000
/** Limits of one reply. */
const idsMax = 64
const idLengthMax = 256

/**
 * The objects that replies have created in an upstream's account (containers, images, audio), by the gateway account
 * that they were created for. Only that account may name an object again. The memory is local to this process; unknown
 * objects are refused.
 */
export class SharedObjectMemory {
  readonly #untilMs = new Map<string, number>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  keep(accountId: string, ids: readonly string[]): void {
    const untilMs = this.#nowMs() + keptMs
    for (const id of ids.slice(0, idsMax)) {
      if (id.length > idLengthMax) continue
      const name = nameOf(accountId, id)
      // Delete first: this moves the entry to the end, so that the least recently used entry is evicted first.
      this.#untilMs.delete(name)
      this.#untilMs.set(name, untilMs)
    }
    for (const oldest of this.#untilMs.keys()) {
      if (this.#untilMs.size <= entriesMax) break
      this.#untilMs.delete(oldest)
    }
  }

  has(accountId: string, id: string): boolean {
    const name = nameOf(accountId, id)
    const untilMs = this.#untilMs.get(name)
    if (untilMs === undefined) return false
    if (untilMs > this.#nowMs()) return true
    this.#untilMs.delete(name)
    return false
  }
}

function nameOf(accountId: string, id: string): string {
  return `${accountId}\n${id}`
}
