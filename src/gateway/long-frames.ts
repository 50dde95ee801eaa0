import { joinSlowly } from '../core/join-slowly.ts'
import { turns } from '../core/turns.ts'
import type { StreamTap } from '../protocols/protocol.ts'
import { LongFields } from '../wire/long-fields.ts'
import type { SseFrame } from '../wire/sse-framer.ts'
import { CutBook } from './cut-book.ts'
import { itemsCharactersMax } from './keep-reply.ts'
import { limits } from './limits.ts'
import { readLongReply } from './long-reply.ts'

/** Of one turn: a millisecond or two. */
const bytesATurn = 1024 * 1024

/** An event that no reader can be asked to read. */
export class UnreadableFrame extends Error {
  override readonly name = 'UnreadableFrame'
}

export interface LongFramesParts {
  readonly isTranslated: boolean
  mint(prefix: string): string
  /** Log probabilities were left out of the translation. */
  onLostLogprobs(): void
}

/** A stream that passes untouched may hold one event back, and writes no text again after the next one. */
const passedBooksMax = 2

/** Reads the long events of one stream in turns, and puts their long texts into what is written of them. */
export class LongFrames {
  readonly #parts: LongFramesParts
  /** A translation may repeat a text in a later event, so its only book is kept until the stream ends. */
  #books: readonly CutBook[] = []
  #cutBytes = 0
  #cutTokens = 0

  constructor(parts: LongFramesParts) {
    this.#parts = parts
  }

  /** The event with its long texts taken out. One that is not JSON has no data, and goes on as it came. */
  async open({ bytes }: SseFrame): Promise<SseFrame> {
    const fields = new LongFields(bytes)
    do await turns.next()
    while (!fields.run(bytesATurn))
    if (fields.hasTooManyLines) throw new UnreadableFrame('an event has too many lines')
    const { event } = fields
    const [first] = fields.data
    if (!first) return { bytes, event, data: undefined }
    const data = fields.data.length === 1 ? first : await joinSlowly(fields.data)
    const { isTranslated, onLostLogprobs } = this.#parts
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
    this.#cutTokens += reply.cutTokens
    const { text, value, cutBytes } = reply
    return { bytes, event, data: text, value, isCut: cutBytes > 0 }
  }

  #nextBook(): CutBook {
    const { isTranslated, mint } = this.#parts
    const [first] = this.#books
    if (isTranslated && first) return first
    const book = new CutBook(mint)
    this.#books = [...this.#books, book].slice(-passedBooksMax)
    return book
  }

  /** Whether there is nothing to fill in. */
  get isEmpty(): boolean {
    return this.#books.every((book) => book.isEmpty)
  }

  /** What was written, with the long texts in it. */
  fill(written: Uint8Array): Uint8Array[] {
    let pieces = [written]
    for (const book of this.#books) pieces = pieces.flatMap((piece) => book.fill(piece))
    return pieces
  }

  /** The same tap, whose words hold the long texts again, and whose figures count them. */
  wrap(tap: StreamTap): StreamTap {
    return new LongTap(tap, () => ({
      book: this.#books[0],
      bytes: this.#cutBytes,
      tokens: this.#cutTokens,
    }))
  }
}

/** What was taken out of a stream until now. */
interface TakenOut {
  readonly book: CutBook | undefined
  readonly bytes: number
  readonly tokens: number
}

class LongTap implements StreamTap {
  readonly #tap: StreamTap
  readonly #takenOut: () => TakenOut
  readonly faultText?: NonNullable<StreamTap['faultText']>
  readonly cutText?: NonNullable<StreamTap['cutText']>
  readonly kept?: NonNullable<StreamTap['kept']>

  constructor(tap: StreamTap, takenOut: () => TakenOut) {
    this.#tap = tap
    this.#takenOut = takenOut
    const { faultText, cutText, kept } = tap
    if (faultText) this.faultText = (fault, id) => this.#filled(faultText.call(tap, fault, id))
    if (cutText) this.cutText = (usage) => this.#filled(cutText.call(tap, usage))
    if (kept) this.kept = () => this.#keptOf(kept.call(tap))
  }

  read(frame: SseFrame): ReturnType<StreamTap['read']> {
    return this.#tap.read(frame)
  }

  end(): ReturnType<StreamTap['end']> {
    return this.#tap.end()
  }

  get isCertain(): boolean {
    return this.#tap.isCertain === true
  }

  reading(): ReturnType<StreamTap['reading']> {
    const reading = this.#tap.reading()
    const { tokens } = this.#takenOut()
    if (tokens === 0) return reading
    return { ...reading, deliveredTokens: () => reading.deliveredTokens() + tokens }
  }

  forsake(): void {
    this.#tap.forsake?.()
  }

  #filled(text: string): string {
    return this.#takenOut().book?.fillText(text) ?? text
  }

  #keptOf(kept: ReturnType<NonNullable<StreamTap['kept']>>): typeof kept {
    const { book, bytes } = this.#takenOut()
    if (!book || kept?.responseText === undefined) return kept
    return bytes > itemsCharactersMax
      ? undefined
      : { ...kept, responseText: book.fillText(kept.responseText) }
  }
}
