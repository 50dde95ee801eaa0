/** A built file of the browser app, ready to be sent. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The bytes compressed, made when they are first asked for; undefined for what does not shrink. */
  readonly gzip: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined
  readonly type: string
  readonly etag: string
  /** True when the name has a hash of the content in it, so that the content never changes. */
  readonly isImmutable: boolean
}

export interface Assets {
  /** `path` is relative to /console/, such as `index.html`. */
  find(path: string): Asset | undefined
}
