/** A body with more characters is written in pieces, because encoding the whole body would block the event loop. */
const pieceLength = 512 * 1024

/** A large body on its way to a socket, piece by piece. Pieces that were taken are released. */
export interface BodyPieces {
  readonly isEmpty: boolean
  take(): Uint8Array
}

/** Undefined for a body that is small enough to be written at once. */
export function piecesOf(body: string | readonly Uint8Array[]): BodyPieces | undefined {
  if (typeof body !== 'string') return new ListedPieces(body)
  return body.length > pieceLength ? new TextPieces(body) : undefined
}

class ListedPieces implements BodyPieces {
  /** In reverse order. */
  readonly #pieces: Uint8Array[]

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces.filter(({ length }) => length > 0).reverse()
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  /**
   * Splits long pieces, because TLS encrypts a whole write at once. Joins short pieces, because each write is a system
   * call.
   */
  take(): Uint8Array {
    const taken: Uint8Array[] = []
    let room = pieceLength
    for (let next = this.#pieces.pop(); next; next = this.#pieces.pop()) {
      taken.push(next.subarray(0, room))
      if (next.length > room) this.#pieces.push(next.subarray(room))
      room -= next.length
      if (room <= 0) break
    }
    const [first = new Uint8Array()] = taken
    return taken.length === 1 ? first : Buffer.concat(taken)
  }
}

class TextPieces implements BodyPieces {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isEmpty(): boolean {
    return this.#at >= this.#text.length
  }

  take(): Uint8Array {
    const text = this.#text
    let end = Math.min(text.length, this.#at + pieceLength)
    // Do not split a surrogate pair.
    if (end < text.length && isFirstHalf(text.charCodeAt(end - 1))) end -= 1
    const piece = Buffer.from(text.slice(this.#at, end))
    this.#at = end
    return piece
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}
