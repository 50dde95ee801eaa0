/** A remote gateway, and the credentials for it. */
export interface RemoteTarget {
  /** Without a trailing slash. */
  readonly url: string
  readonly token: string
  /** Root certificates as PEM text, trusted in addition to the default roots. */
  readonly ca: string | undefined
}
