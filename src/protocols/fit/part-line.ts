/** How many that have left may stay in memory before they are cleared away. */
const leftMax = 1_024

/** First in, first out. Taking from a list moves all that follow; here nothing moves, however many wait. */
export class PartLine<Item> {
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
