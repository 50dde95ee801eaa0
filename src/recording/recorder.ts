import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../store/engine.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { type RecordedContent, sealContent } from './content.ts'
import { type DraftBudget, type DraftFacts, type FinishedDraft, RecordingDraft } from './draft.ts'
import { endUserHash } from './end-user-hash.ts'
import { type NewRecording, writeRecordings } from './write-recordings.ts'

export const recorderLimits = {
  /** The bodies of running requests and of those that wait for the database, together. Beyond that, none is recorded. */
  heldBytesMax: 64 * 1024 * 1024,
  waitingMax: 5_000,
  /** Recordings of one batch, and bytes of bodies before compression: other writers of the database wait meanwhile. */
  batchMax: 20,
  batchBytesMax: 4 * 1024 * 1024,
  /** The number of attempts for a batch, and the wait before the next attempt. */
  triesMax: 4,
  retryMs: 1_000,
}

export interface RecorderDeps {
  readonly engine: Engine
  readonly vault: Vault
  /** False: the operator allows no recordings. */
  readonly isAllowed: boolean
  readonly bodyBytesMax: number
  /** The bytes that the recordings of one account may take in the database; the oldest are deleted. */
  readonly accountBytesMax: number
  onDropped(count: number, why: DropReason, error?: unknown): void
  readonly limits?: Partial<typeof recorderLimits>
}

/** `memory`: too much was waiting. `database`: it did not take the recording. `size`: one alone exceeds the limit. */
export type DropReason = 'memory' | 'database' | 'size'

/**
 * Collects the bodies of requests and writes them in the background. Nothing on the path of a request waits for it;
 * recordings that do not fit are dropped and counted.
 */
export class Recorder {
  readonly #deps: RecorderDeps
  readonly #limits: typeof recorderLimits
  readonly #budget: DraftBudget
  #waiting: FinishedDraft[] = []
  #heldBytes = 0
  #running: Promise<void> | undefined
  readonly #ending = new AbortController()

  constructor(deps: RecorderDeps) {
    this.#deps = deps
    this.#limits = { ...recorderLimits, ...deps.limits }
    this.#budget = {
      bodyBytesMax: deps.bodyBytesMax,
      take: (bytes) => {
        if (this.#heldBytes + bytes > this.#limits.heldBytesMax) return false
        this.#heldBytes += bytes
        return true
      },
      giveBack: (bytes) => {
        this.#heldBytes -= bytes
      },
      onFinished: (draft) => this.#add(draft),
      onDropped: () => deps.onDropped(1, 'memory'),
    }
  }

  /** Undefined when the operator allows no recordings. */
  begin(facts: DraftFacts): RecordingDraft | undefined {
    if (!this.#deps.isAllowed) return undefined
    return new RecordingDraft(this.#budget, facts)
  }

  /** The bytes of bodies in memory now. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Resolves when everything finished so far is written or dropped. */
  async written(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Writes the remaining recordings, each batch once. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.written()
  }

  #add(draft: FinishedDraft): void {
    if (this.#waiting.length >= this.#limits.waitingMax) {
      this.#budget.giveBack(draft.heldBytes)
      this.#deps.onDropped(1, 'memory')
      return
    }
    this.#waiting.push(draft)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#batchLength())
      for (const [accountId, drafts] of Map.groupBy(batch, (draft) => draft.accountId))
        await this.#write(accountId, drafts)
      for (const { heldBytes } of batch) this.#budget.giveBack(heldBytes)
    }
  }

  /** At least one, whatever its size. */
  #batchLength(): number {
    const { batchMax, batchBytesMax } = this.#limits
    let bytes = 0
    const end = this.#waiting.findIndex((draft, at) => {
      bytes += draft.heldBytes
      return at >= batchMax || (at > 0 && bytes > batchBytesMax)
    })
    return end === -1 ? this.#waiting.length : end
  }

  async #write(accountId: string, drafts: readonly FinishedDraft[]): Promise<void> {
    const { engine, vault, accountBytesMax, onDropped } = this.#deps
    for (let tries = 1; ; tries += 1) {
      try {
        const rows = await Promise.all(drafts.map((draft) => sealDraft(vault, draft)))
        const tooLarge = await writeRecordings(engine, accountId, rows, accountBytesMax)
        if (tooLarge > 0) onDropped(tooLarge, 'size')
        return
      } catch (error) {
        if (tries >= this.#limits.triesMax || this.#ending.signal.aborted)
          return onDropped(drafts.length, 'database', error)
        const wait = { ref: false, signal: this.#ending.signal }
        await sleep(this.#limits.retryMs * tries, undefined, wait).catch(() => undefined)
      }
    }
  }
}

async function sealDraft(vault: Vault, draft: FinishedDraft): Promise<NewRecording> {
  const { accountId, endUsers, request, requestBytes, response, responseBytes } = draft
  const content: RecordedContent = {
    endUsers,
    request: { bytes: request, length: requestBytes },
    response: { bytes: Buffer.concat(response), length: responseBytes },
  }
  const sealed = await sealContent(vault, content)
  const [first, second] = endUsers.map((name) => endUserHash(vault, accountId, name))
  return {
    atMs: draft.atMs,
    row: {
      request_id: draft.requestId,
      account_id: accountId,
      key_id: draft.keyId,
      protocol: draft.protocol,
      model: draft.model ?? null,
      status: draft.status,
      end_user_hash: first ?? null,
      other_user_hash: second ?? null,
      request_bytes: requestBytes,
      response_bytes: responseBytes,
      stored_bytes: sealed.length,
      content_sealed: sealed,
    },
  }
}
