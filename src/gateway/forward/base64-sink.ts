/** A multiple of three, so that each block becomes base64 without padding: 64 KiB of text. */
const blockBytes = 48 * 1024

/** Turns bytes into base64 while they arrive. Only the text is kept, in blocks that are never joined. */
export class Base64Sink {
  readonly blocks: Uint8Array[] = []
  /** The length of the text in bytes. */
  length = 0
  #open = Buffer.allocUnsafe(blockBytes)
  #openLength = 0

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + blockBytes - this.#openLength)
      this.#open.set(piece, this.#openLength)
      this.#openLength += piece.length
      at += piece.length
      if (this.#openLength === blockBytes) this.#close()
    }
  }

  end(): void {
    this.#close()
    this.#open = Buffer.alloc(0)
  }

  #close(): void {
    if (this.#openLength === 0) return
    const text = this.#open.toString('base64', 0, this.#openLength)
    const block = Buffer.from(text, 'latin1')
    this.blocks.push(block)
    this.length += block.length
    this.#openLength = 0
  }
}

/** The length of the base64 text for this number of bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}
