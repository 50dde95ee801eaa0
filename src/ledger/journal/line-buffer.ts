import { crc32 } from 'node:zlib'
import { abandonedEnd, type LineKind } from './journal-lines.ts'

const bytesAtFirst = 64 * 1024
/** A character takes at most three bytes. The frame of a line is a letter, a tab, a checksum and a line end. */
const bytesPerCharacterMax = 3
const frameBytesMax = 16

/** Lines of the journal as bytes, in a reused buffer. */
export class LineBuffer {
  #bytes = Buffer.allocUnsafe(bytesAtFirst)
  #length = 0

  /** The lines since the last `clear`; valid until the next one. */
  get lines(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  /** Adds the same line that `sealLine` makes. */
  add(kind: LineKind, json: string): void {
    this.#makeRoom(json.length * bytesPerCharacterMax + frameBytesMax)
    const bytes = this.#bytes
    const start = this.#length + bytes.write(kind, this.#length, 'latin1')
    const end = start + bytes.write(json, start, 'utf8')
    const seal = `\t${crc32(bytes.subarray(start, end)).toString(16)}\n`
    this.#length = end + bytes.write(seal, end, 'latin1')
  }

  /** Closes the partial line of a failed write. */
  addAbandonedEnd(): void {
    this.#makeRoom(frameBytesMax)
    this.#length += this.#bytes.write(abandonedEnd, this.#length, 'latin1')
  }

  #makeRoom(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
