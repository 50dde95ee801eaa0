/**
 * Long work in slices: whoever has some waits for a turn before each slice. One turn is given in each round of the
 * event loop, so however many wait, requests go on between two slices.
 */
class Turns {
  readonly #waiting: (() => void)[] = []
  #isRunning = false

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#isRunning) return
      this.#isRunning = true
      setImmediate(() => this.#give())
    })
  }

  #give(): void {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(() => this.#give())
    else this.#isRunning = false
  }
}

/** A text of more characters is handled in turns, and takes no two long steps in one of them. */
export const longBodyLength = 1024 * 1024

/** Of the whole process: its event loop is one. */
export const turns = new Turns()

/** Makes something of each item, so many in one turn of the event loop; a short list is made at once. */
export async function mapInTurns<Item, Made>(
  items: readonly Item[],
  itemsATurn: number,
  make: (item: Item) => Made,
): Promise<Made[]> {
  const made: Made[] = []
  for (const item of items) {
    if (made.length > 0 && made.length % itemsATurn === 0) await turns.next()
    made.push(make(item))
  }
  return made
}
