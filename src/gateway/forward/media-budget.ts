import { Fault } from '../../core/fault.ts'
import { mediaLimits } from './media-limits.ts'

interface InUse {
  bytes: number
  files: number
}

/** Counts the fetched media that a process holds, by account and in total. */
export class MediaBudget {
  readonly #bytesMax: number
  readonly #all: InUse = { bytes: 0, files: 0 }
  readonly #accounts = new Map<string, InUse>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytesInUse(): number {
    return this.#all.bytes
  }

  get filesInUse(): number {
    return this.#all.files
  }

  /** Opens the share of one request of this account. */
  open(accountId: string): MediaShare {
    return new MediaShare({
      file: (count) => this.#file(accountId, count),
      bytes: (count) => this.#bytes(accountId, count),
    })
  }

  #file(accountId: string, count: 1 | -1): void {
    const own = this.#accountOf(accountId)
    const isFull =
      own.files >= mediaLimits.accountFilesAtOnce ||
      this.#all.files >= mediaLimits.processFilesAtOnce
    if (count > 0 && isFull) throw busy()
    own.files += count
    this.#all.files += count
    this.#forget(accountId, own)
  }

  #bytes(accountId: string, count: number): void {
    const own = this.#accountOf(accountId)
    const isFull =
      own.bytes + count > mediaLimits.accountBytesMax || this.#all.bytes + count > this.#bytesMax
    if (count > 0 && isFull) throw busy()
    own.bytes += count
    this.#all.bytes += count
    this.#forget(accountId, own)
  }

  #accountOf(accountId: string): InUse {
    const known = this.#accounts.get(accountId)
    if (known) return known
    const own = { bytes: 0, files: 0 }
    this.#accounts.set(accountId, own)
    return own
  }

  #forget(accountId: string, own: InUse): void {
    if (own.bytes === 0 && own.files === 0) this.#accounts.delete(accountId)
  }
}

interface ShareCounter {
  file(count: 1 | -1): void
  bytes(count: number): void
}

/** The part of the budget that one request uses. It is released as a whole. */
export class MediaShare {
  readonly #counter: ShareCounter
  #bytes = 0
  #isReleased = false

  constructor(counter: ShareCounter) {
    this.#counter = counter
  }

  /** Throws 503 when too many files are being fetched. Call `endFile` for each file afterwards. */
  beginFile(): void {
    this.#counter.file(1)
  }

  endFile(): void {
    this.#counter.file(-1)
  }

  /** Throws 400 when the request exceeds its own limit, 503 when the budget has no room at the moment. */
  take(bytes: number): void {
    // A piece that arrives after the release is not kept.
    if (this.#isReleased) return
    if (this.#bytes + bytes > mediaLimits.requestBytesMax) throw tooMuchMedia()
    this.#counter.bytes(bytes)
    this.#bytes += bytes
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    if (this.#bytes > 0) this.#counter.bytes(-this.#bytes)
    this.#bytes = 0
  }
}

export function tooMuchMedia(): Fault {
  const mebibytes = Math.floor((mediaLimits.requestBytesMax * 3) / 4 / 1024 / 1024)
  return new Fault(
    'invalid_request',
    `The images and files that this request refers to by URL have more than ${mebibytes} MiB together, each counted as often as it is used. Send fewer or smaller files.`,
    { isUntranslatable: true },
  )
}

function busy(): Fault {
  return new Fault(
    'unavailable',
    'The gateway is already fetching as many images and files as it can hold. Try again.',
    { retryAfterSeconds: 2 },
  )
}
