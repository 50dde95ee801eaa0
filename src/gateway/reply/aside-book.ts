import { CutBook } from '../../wire/cut-book.ts'
import { unbrokenLines } from '../../wire/unbroken-lines.ts'
import { limits } from '../limits.ts'

const utf8 = new TextEncoder()

/** JSON that the end of one stream repeats: encoded once, while the stream comes, and never copied. */
export class AsideBook {
  readonly #mint: (prefix: string) => string
  #book: CutBook | undefined
  #bytes = 0

  constructor(mint: (prefix: string) => string) {
    this.#mint = mint
  }

  /** More than an answer may have: nothing else bounds what is said beside its text. */
  get isFull(): boolean {
    return this.#bytes > limits.replyBytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes JSON text, perhaps with marks in it, and gives the mark that stands for it. */
  setAside = (json: string): string => {
    this.#book ??= new CutBook(this.#mint, true)
    const bytes = utf8.encode(unbrokenLines(json))
    this.#bytes += bytes.length
    return this.#book.addPieces(this.#book.fill(bytes))
  }

  /** What was written as bytes, with everything in its place. */
  encode(text: string): Uint8Array[] {
    const bytes = utf8.encode(unbrokenLines(text))
    return this.#book ? this.#book.fill(bytes) : [bytes]
  }

  fillText(text: string): string {
    return this.#book ? this.#book.fillText(text) : text
  }
}
