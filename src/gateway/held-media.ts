import type { Medium } from './fetch-media.ts'
import type { MediaShare } from './media-budget.ts'

/** What a text that holds marks becomes: the text itself in bytes, and media in their places. */
export type BodyPieces = readonly Uint8Array[]

/**
 * The fetched media of one request. The neutral request holds a short mark for each; the bytes come in only when
 * the body is written to the upstream, so that there is one copy, whatever is done with the request.
 */
export class HeldMedia {
  readonly #share: MediaShare
  /** New for each request: no caller can write it into a text. */
  readonly #prefix: string
  readonly #byUrl = new Map<string, { readonly mark: string; readonly medium: Medium }>()
  readonly #byMark = new Map<string, Medium>()

  constructor(share: MediaShare, mint: (prefix: string) => string) {
    this.#share = share
    this.#prefix = mint('media-')
  }

  add(url: string, medium: Medium): void {
    const mark = `${this.#prefix}-${String(this.#byUrl.size).padStart(2, '0')}`
    this.#byUrl.set(url, { mark, medium })
    this.#byMark.set(mark, medium)
  }

  find(url: string): { readonly mark: string; readonly medium: Medium } | undefined {
    return this.#byUrl.get(url)
  }

  /** The body with the media where their marks stand; `write` says what becomes of the text between them. */
  fill(text: string, write: (text: string) => BodyPieces): BodyPieces {
    const pieces: Uint8Array[] = []
    const markLength = this.#prefix.length + 3
    let from = 0
    for (let at = text.indexOf(this.#prefix); at >= 0; at = text.indexOf(this.#prefix, from)) {
      const medium = this.#byMark.get(text.slice(at, at + markLength))
      if (!medium) throw new Error('a body holds the mark of a medium that was not fetched')
      pieces.push(...write(text.slice(from, at)))
      for (const block of medium.base64) pieces.push(block)
      from = at + markLength
    }
    pieces.push(...write(text.slice(from)))
    return pieces
  }

  /** The upstream has the request, or nobody will: the media are let go. */
  release(): void {
    this.#byUrl.clear()
    this.#byMark.clear()
    this.#share.release()
  }
}
