import type { Medium } from './fetch-media.ts'
import type { MediaShare } from './media-budget.ts'

/** What is sent to an upstream in pieces: a text in bytes, and in it what stands elsewhere. */
export type ByteBlocks = readonly Uint8Array[]

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

  /** The texts of the body, and the media between them where their marks stood. */
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

  /** The upstream has the request, or nobody will: the media are let go. */
  release(): void {
    this.#byUrl.clear()
    this.#byMark.clear()
    this.#share.release()
  }
}
