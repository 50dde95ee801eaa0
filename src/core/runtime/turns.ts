/**
 * Divides long work into slices: each task waits for a turn before each slice. Each round of the event loop grants one
 * turn, so requests continue between two slices however many tasks wait.
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

/** A longer text is processed in turns, with at most one long step per turn. */
export const longBodyLength = 1024 * 1024

/** One instance for the process, because the process has one event loop. */
export const turns = new Turns()

/** Maps a list, a limited number of items per turn of the event loop; a short list is mapped at once. */
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
