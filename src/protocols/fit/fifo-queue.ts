/** The most removed items that stay in memory before the list is compacted. */
const leftMax = 1_024

/** A first-in, first-out queue. Array.shift moves all following items; this queue moves none, however many wait. */
export class FifoQueue<Item> {
  #items: (Item | undefined)[] = []
  #at = 0

  get length(): number {
    return this.#items.length - this.#at
  }

  get first(): Item | undefined {
    return this.#items[this.#at]
  }

  get last(): Item | undefined {
    return this.length === 0 ? undefined : this.#items.at(-1)
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#at]
    this.#items[this.#at] = undefined
    this.#at += 1
    if (this.#at > leftMax && this.#at * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#at)
      this.#at = 0
    }
    return item
  }
}
