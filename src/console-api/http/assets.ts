/** A built file of the browser app. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The compressed bytes, created on first use; undefined for a file that does not shrink. */
  readonly gzip: (() => Promise<Uint8Array<ArrayBuffer>>) | undefined
  readonly type: string
  readonly etag: string
  /** True if the file name contains a hash of the content, so the content never changes. */
  readonly isImmutable: boolean
}

export interface Assets {
  /** `path` is relative to /console/, such as `index.html`. */
  find(path: string): Asset | undefined
}
