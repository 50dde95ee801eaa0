import { CutStore } from '../../wire/cut-store.ts'
import { unbrokenLines } from '../../wire/unbroken-lines.ts'
import { limits } from '../limits.ts'

const utf8 = new TextEncoder()

/** JSON that the end of a stream repeats. It is encoded once, during the stream, and never copied. */
export class SetAsideTexts {
  readonly #mint: (prefix: string) => string
  #store: CutStore | undefined
  #bytes = 0

  constructor(mint: (prefix: string) => string) {
    this.#mint = mint
  }

  /** More bytes than a reply may have. No other limit bounds the data that is set aside. */
  get isFull(): boolean {
    return this.#bytes > limits.replyBytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes JSON text, which may contain marks, and returns the mark that represents it. */
  setAside = (json: string): string => {
    this.#store ??= new CutStore(this.#mint, true)
    const bytes = utf8.encode(unbrokenLines(json))
    this.#bytes += bytes.length
    return this.#store.addPieces(this.#store.fill(bytes))
  }

  /** The written text as bytes, with the set-aside JSON in place of its marks. */
  encode(text: string): Uint8Array[] {
    const bytes = utf8.encode(unbrokenLines(text))
    return this.#store ? this.#store.fill(bytes) : [bytes]
  }

  fillText(text: string): string {
    return this.#store ? this.#store.fillText(text) : text
  }
}
