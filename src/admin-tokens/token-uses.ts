import type { Engine } from '../store/engine.ts'

/** The use of a token is recorded at most this often. */
const stepMs = 60_000
/**
 * The number of tokens whose last use this process caches. Beyond it the cache is cleared, and the database decides.
 */
const rememberedMax = 10_000
/** The number of uses that wait to be written. Further uses are not recorded. */
const waitingMax = 1_000

interface Use {
  readonly address: string
  readonly atMs: number
}

/**
 * Records when and from where tokens are used, in the background: no request waits for a record or fails because of
 * one.
 */
export class TokenUses {
  readonly #engine: Pick<Engine, 'db'>
  readonly #onError: (error: unknown) => void
  readonly #notedAt = new Map<string, number>()
  readonly #waiting = new Map<string, Use>()
  #writing: Promise<void> | undefined

  constructor(engine: Pick<Engine, 'db'>, onError: (error: unknown) => void) {
    this.#engine = engine
    this.#onError = onError
  }

  note(tokenId: string, use: Use): void {
    const before = this.#notedAt.get(tokenId)
    if (before !== undefined && use.atMs - before < stepMs) return
    if (this.#waiting.size >= waitingMax) return
    if (this.#notedAt.size >= rememberedMax) this.#notedAt.clear()
    this.#notedAt.set(tokenId, use.atMs)
    this.#waiting.set(tokenId, use)
    this.#writing ??= this.#writeAll()
  }

  /** Resolves when every use recorded so far is written or has failed. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async #writeAll(): Promise<void> {
    // Leaves the turn of the request that recorded the use.
    await Promise.resolve()
    for (const [tokenId, use] of this.#waiting) {
      this.#waiting.delete(tokenId)
      try {
        await this.#write(tokenId, use)
      } catch (error) {
        this.#onError(error)
      }
    }
    // Runs in the turn in which the loop finds the queue empty, so that no use is added in between and forgotten.
    this.#writing = undefined
  }

  /** Other processes record uses too: within a minute, the first record counts. */
  async #write(tokenId: string, { address, atMs }: Use): Promise<void> {
    await this.#engine.db
      .updateTable('admin_token')
      .set({ used_at: atMs, used_address: address })
      .where('id', '=', tokenId)
      .where(({ or, eb }) => or([eb('used_at', 'is', null), eb('used_at', '<=', atMs - stepMs)]))
      .execute()
  }
}
