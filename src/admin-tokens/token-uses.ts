import type { Engine } from '../store/engine.ts'

/** That a token was used is written down so often at most. */
const stepMs = 60_000
/** Tokens whose last use this process remembers; beyond that it forgets, and the database decides. */
const rememberedMax = 10_000
/** Uses that wait to be written; beyond that they are not noted. */
const waitingMax = 1_000

interface Use {
  readonly address: string
  readonly atMs: number
}

/** Notes when and from where tokens are used, behind the requests: none of them waits for it or fails because of it. */
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

  /** Resolves when everything noted so far is written, or has failed. */
  async written(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  async #writeAll(): Promise<void> {
    // Not in the turn of the request that noted it.
    await Promise.resolve()
    for (const [tokenId, use] of this.#waiting) {
      this.#waiting.delete(tokenId)
      try {
        await this.#write(tokenId, use)
      } catch (error) {
        this.#onError(error)
      }
    }
    // In the turn in which the last one was taken, so that none is noted in between and left.
    this.#writing = undefined
  }

  /** Other processes note uses too: within a minute the first one counts. */
  async #write(tokenId: string, { address, atMs }: Use): Promise<void> {
    await this.#engine.db
      .updateTable('admin_token')
      .set({ used_at: atMs, used_address: address })
      .where('id', '=', tokenId)
      .where(({ or, eb }) => or([eb('used_at', 'is', null), eb('used_at', '<=', atMs - stepMs)]))
      .execute()
  }
}
