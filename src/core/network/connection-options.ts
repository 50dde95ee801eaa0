/** How the gateway connects to an upstream. */
export interface ConnectionOptions {
  readonly proxy: string | undefined
  /** Certificate authorities trusted in addition to the default roots, as PEM text. */
  readonly ca: string | undefined
  /** Whether the host name may resolve to a private address. */
  readonly allowsPrivate: boolean
}
