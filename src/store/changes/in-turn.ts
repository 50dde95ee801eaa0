import { Mutex } from '../engine/mutex.ts'
import { DatabaseTimeout, type Engine } from '../engine.ts'

/** The limits of changes that wait for their turn in this process. */
export const writeTurns = { waitMs: 10_000, waitingMax: 1_000 }

const turns = new WeakMap<Engine['db'], Turns>()

/**
 * Runs one change of this process after the other. The database lets only one through at a time anyway (`takeTurn`), and
 * a change that waited there would keep a connection from the requests: fifty people who sign in at once would stop them.
 */
export function inTurn<T>(db: Engine['db'], work: () => Promise<T>): Promise<T> {
  const known = turns.get(db) ?? new Turns()
  turns.set(db, known)
  return known.run(work)
}

class Turns {
  readonly #mutex = new Mutex()
  readonly #waiting = new Set<(error: DatabaseTimeout) => void>()

  async run<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#wait()
    try {
      return await work()
    } catch (error) {
      // The database is silent. The others have waited for it as well.
      if (error instanceof DatabaseTimeout) for (const giveUp of this.#waiting) giveUp(error)
      throw error
    } finally {
      release()
    }
  }

  async #wait(): Promise<() => void> {
    const { waitMs, waitingMax } = writeTurns
    if (this.#waiting.size >= waitingMax)
      throw new DatabaseTimeout(`${waitingMax} changes are waiting for the database`)
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const timer = setTimeout(
      () => reject(new DatabaseTimeout(`earlier changes took longer than ${waitMs / 1_000} s`)),
      waitMs,
    )
    this.#waiting.add(reject)
    const turn = this.#mutex.acquire()
    void turn.then(resolve)
    try {
      return await promise
    } catch (error) {
      void turn.then((release) => release())
      throw error
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(reject)
    }
  }
}
