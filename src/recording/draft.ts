import { cutEndUser } from './end-user-hash.ts'

/** The facts of a recorded request that are known when it begins. */
export interface DraftFacts {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly protocol: string
  /** When the request arrived. */
  readonly atMs: number
}

/** A recorded request that has ended. */
export interface FinishedDraft extends DraftFacts {
  readonly model: string | undefined
  readonly status: number
  readonly endUsers: readonly string[]
  readonly request: Uint8Array
  readonly requestBytes: number
  readonly response: readonly Uint8Array[]
  readonly responseBytes: number
  /** The memory of both bodies. */
  readonly heldBytes: number
}

export interface DraftBudget {
  /** Longer bodies are cut here. */
  readonly bodyBytesMax: number
  /** Whether there is memory for so many more bytes; if so, they are taken. */
  take(bytes: number): boolean
  giveBack(bytes: number): void
  onFinished(draft: FinishedDraft): void
  /** There was no memory for the bodies. */
  onDropped(): void
}

const endUsersMax = 2

/** Collects the bodies of one request. Everything is copied, because the bytes belong to buffers that live longer. */
export class RecordingDraft {
  readonly #budget: DraftBudget
  readonly #facts: DraftFacts
  #request: Uint8Array | undefined
  #requestBytes = 0
  #response: Uint8Array[] = []
  #responseBytes = 0
  #keptBytes = 0
  #heldBytes = 0
  #isOver = false
  #endUsers: readonly string[] = []

  constructor(budget: DraftBudget, facts: DraftFacts) {
    this.#budget = budget
    this.#facts = facts
  }

  takeRequest(bytes: Uint8Array): void {
    this.#requestBytes = bytes.length
    this.#request = this.#copy(bytes, this.#budget.bodyBytesMax)
  }

  nameEndUsers(names: readonly string[]): void {
    this.#endUsers = names.slice(0, endUsersMax).map(cutEndUser)
  }

  addResponse(bytes: Uint8Array): void {
    if (this.#isOver) return
    this.#responseBytes += bytes.length
    const piece = this.#copy(bytes, this.#budget.bodyBytesMax - this.#keptBytes)
    if (!piece || piece.length === 0) return
    this.#keptBytes += piece.length
    this.#response.push(piece)
  }

  /** A request whose body was never read has nothing to record. */
  finish(status: number, model: string | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    if (!this.#request) {
      this.#forget()
      return
    }
    this.#budget.onFinished({
      ...this.#facts,
      model,
      status,
      endUsers: this.#endUsers,
      request: this.#request,
      requestBytes: this.#requestBytes,
      response: this.#response,
      responseBytes: this.#responseBytes,
      heldBytes: this.#heldBytes,
    })
  }

  #copy(bytes: Uint8Array, lengthMax: number): Uint8Array | undefined {
    const length = Math.min(bytes.length, lengthMax)
    if (!this.#budget.take(length)) {
      this.#isOver = true
      this.#forget()
      this.#budget.onDropped()
      return undefined
    }
    this.#heldBytes += length
    return bytes.slice(0, length)
  }

  #forget(): void {
    this.#budget.giveBack(this.#heldBytes)
    this.#heldBytes = 0
    this.#request = undefined
    this.#response = []
  }
}
