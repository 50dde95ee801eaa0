import type { MediaFile } from './fetch-media.ts'
import type { MediaShare } from './media-budget.ts'

/** A body sent to an upstream in pieces: text as bytes, with media in between. */
export type ByteBlocks = readonly Uint8Array[]

/**
 * The fetched media of one request. The neutral request contains a short mark for each medium. The bytes are inserted
 * only when the body is sent, so that each medium is in memory once.
 */
export class HeldMedia {
  readonly #share: MediaShare
  /** Unique for each request, so that no client can write a mark into a text. */
  readonly #prefix: string
  readonly #byUrl = new Map<string, { readonly mark: string; readonly medium: MediaFile }>()
  readonly #byMark = new Map<string, MediaFile>()

  constructor(share: MediaShare, mint: (prefix: string) => string) {
    this.#share = share
    this.#prefix = mint('media-')
  }

  add(url: string, medium: MediaFile): void {
    const mark = `${this.#prefix}-${String(this.#byUrl.size).padStart(2, '0')}`
    this.#byUrl.set(url, { mark, medium })
    this.#byMark.set(mark, medium)
  }

  find(url: string): { readonly mark: string; readonly medium: MediaFile } | undefined {
    return this.#byUrl.get(url)
  }

  /** The texts of the body, with the media in place of their marks. */
  fill(text: string): (string | Uint8Array)[] {
    const pieces: (string | Uint8Array)[] = []
    const markLength = this.#prefix.length + 3
    let from = 0
    for (let at = text.indexOf(this.#prefix); at >= 0; at = text.indexOf(this.#prefix, from)) {
      const medium = this.#byMark.get(text.slice(at, at + markLength))
      if (!medium) throw new Error('a body holds the mark of a medium that was not fetched')
      pieces.push(text.slice(from, at), ...medium.base64)
      from = at + markLength
    }
    pieces.push(text.slice(from))
    return pieces
  }

  /** Releases the media: the upstream has the request, or no upstream will get it. */
  release(): void {
    this.#byUrl.clear()
    this.#byMark.clear()
    this.#share.release()
  }
}
