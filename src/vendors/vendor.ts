import type { ProtocolName } from '../core/protocol-name.ts'

/** What is needed to address one request to a vendor. */
export interface Destination {
  readonly baseUrl: string
  readonly protocol: ProtocolName
  readonly credential: string | undefined
}

/** A kind of upstream: its URL shape, its way to present a credential, its habits. */
export interface Vendor {
  readonly name: string
  /** The protocols it speaks. */
  readonly protocols: readonly ProtocolName[]
  /** Where its public API is; undefined when there is no such place. */
  readonly baseUrl: string | undefined
  url(destination: Destination): string
  headers(destination: Destination): Record<string, string>
}

/** A base address with and without a trailing slash is the same place. */
export function joinUrl(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/, '') + path
}

export function bearer(credential: string | undefined): Record<string, string> {
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` }
}
