import { joinSlowly } from '../../core/runtime/join-slowly.ts'
import { turns } from '../../core/runtime/turns.ts'
import type { StreamTap } from '../../protocols/protocol.ts'
import { CutStore } from '../../wire/cut-store.ts'
import { LongFields } from '../../wire/long-fields.ts'
import type { SseFrame } from '../../wire/sse-framer.ts'
import { limits } from '../limits.ts'
import { readLongReply } from './long-reply.ts'

/** The limit of one turn: one or two milliseconds of work. */
const bytesATurn = 1024 * 1024

/** An event that is too large or too complex to read. */
export class UnreadableFrame extends Error {
  override readonly name = 'UnreadableFrame'
}

export interface LongFramesDeps {
  readonly isTranslated: boolean
  mint(prefix: string): string
  /** Called when log probabilities were left out of the translation. */
  onLostLogprobs(): void
}

/** A stream that passes through may hold back one event, and repeats no text after the next one. */
const passedStoresMax = 2

/** Reads the long events of one stream in turns, and inserts their long texts into the output. */
export class LongFrames {
  readonly #deps: LongFramesDeps
  /** A translation may repeat a text in a later event, so its only store is kept until the stream ends. */
  #stores: readonly CutStore[] = []
  #cutBytes = 0

  constructor(deps: LongFramesDeps) {
    this.#deps = deps
  }

  /** Returns the event without its long texts. An event that is not JSON has no data and passes unchanged. */
  async open(frame: SseFrame): Promise<SseFrame> {
    const { before = [] } = frame
    const bytes = before.length === 0 ? frame.bytes : await joinSlowly([...before, frame.bytes])
    const fields = new LongFields(bytes)
    do await turns.next()
    while (!fields.run(bytesATurn))
    if (fields.hasTooManyLines) throw new UnreadableFrame('an event has too many lines')
    const { event } = fields
    const [first] = fields.data
    if (!first) return { bytes, event, data: undefined }
    const data = fields.data.length === 1 ? first : await joinSlowly(fields.data)
    const { isTranslated, onLostLogprobs } = this.#deps
    const reply = await readLongReply(
      data,
      this.#nextBook(),
      isTranslated ? { eventType: event } : undefined,
    )
    if (!reply.isRead) {
      if (reply.isJson) throw new UnreadableFrame(`an event cannot be read: ${reply.problem}`)
      return { bytes, event, data: undefined }
    }
    this.#cutBytes = isTranslated ? this.#cutBytes + reply.cutBytes : reply.cutBytes
    if (this.#cutBytes > limits.replyBytesMax) {
      throw new UnreadableFrame(`its long texts have more than ${limits.replyBytesMax} bytes`)
    }
    if (reply.hasLostLogprobs) onLostLogprobs()
    const { text, value, members, cutBytes, cutTokens } = reply
    return { bytes, event, data: text, value, members, isCut: cutBytes > 0, cutTokens }
  }

  #nextBook(): CutStore {
    const { isTranslated, mint } = this.#deps
    const [first] = this.#stores
    if (isTranslated && first) return first
    const store = new CutStore(mint, !isTranslated)
    this.#stores = [...this.#stores, store].slice(-passedStoresMax)
    return store
  }

  /** Whether there are no texts to insert. */
  get isEmpty(): boolean {
    return this.#stores.every((store) => store.isEmpty)
  }

  /** Inserts the long texts into the output. */
  fill(written: Uint8Array): Uint8Array[] {
    let pieces = [written]
    for (const store of this.#stores) pieces = pieces.flatMap((piece) => store.fill(piece))
    return pieces
  }

  /** Wraps a tap so that its figures include the long texts and its kept reply contains them. */
  wrap(tap: StreamTap): StreamTap {
    return new LongTap(tap, () => ({ store: this.#stores[0], bytes: this.#cutBytes }))
  }
}

/** The texts that have been cut out of a stream so far. */
interface TakenOut {
  readonly store: CutStore | undefined
  readonly bytes: number
}

const nothingWritten = {
  bytes: undefined,
  isTerminator: false,
  fault: undefined,
  isContent: false,
} as const

class LongTap implements StreamTap {
  readonly #tap: StreamTap
  readonly #takenOut: () => TakenOut
  #cutTokens = 0
  readonly faultText?: NonNullable<StreamTap['faultText']>
  readonly cutText?: NonNullable<StreamTap['cutText']>
  readonly encode?: NonNullable<StreamTap['encode']>
  readonly kept?: NonNullable<StreamTap['kept']>

  constructor(tap: StreamTap, takenOut: () => TakenOut) {
    this.#tap = tap
    this.#takenOut = takenOut
    const { faultText, cutText, encode, kept } = tap
    if (faultText) this.faultText = faultText.bind(tap)
    if (cutText) this.cutText = cutText.bind(tap)
    if (encode) this.encode = encode.bind(tap)
    if (kept) this.kept = () => this.#keptOf(kept.call(tap))
  }

  read(frame: SseFrame): ReturnType<StreamTap['read']> {
    const { cutTokens = 0 } = frame
    if (cutTokens === 0) return this.#tap.read(frame)
    // A text that was delivered before and is repeated at the end does not count. Only the tap knows which text that
    // is.
    const before = this.#tap.reading().deliveredTokens()
    const verdict = this.#tap.read(frame)
    if (this.#tap.reading().deliveredTokens() > before) this.#cutTokens += cutTokens
    return verdict
  }

  end(): ReturnType<StreamTap['end']> {
    return this.#tap.end()
  }

  get isCertain(): boolean {
    return this.#tap.isCertain === true
  }

  get hasMore(): boolean {
    return this.#tap.hasMore === true
  }

  writeMore(): ReturnType<StreamTap['read']> {
    return this.#tap.writeMore?.() ?? nothingWritten
  }

  reading(): ReturnType<StreamTap['reading']> {
    const reading = this.#tap.reading()
    const tokens = this.#cutTokens
    if (tokens === 0) return reading
    return { ...reading, deliveredTokens: () => reading.deliveredTokens() + tokens }
  }

  abandon(): void {
    this.#tap.abandon?.()
  }

  #keptOf(kept: ReturnType<NonNullable<StreamTap['kept']>>): typeof kept {
    const { store, bytes } = this.#takenOut()
    if (!store || kept?.responseText === undefined) return kept
    return bytes > limits.storedCharactersMax
      ? undefined
      : { ...kept, responseText: store.fillText(kept.responseText) }
  }
}
