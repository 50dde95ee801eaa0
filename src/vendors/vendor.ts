import { isProtocolName, type ProtocolName } from '../core/protocol-name.ts'
import type { ModelTraits } from '../protocols/model-traits.ts'

/** What is asked of an upstream: a whole answer, a streamed one, or only a count of tokens. */
export type UpstreamOperation = 'generate' | 'stream' | 'count'

/** Where a vendor is spoken to, and how. */
export interface UpstreamEndpoint {
  readonly baseUrl: string
  readonly protocol: ProtocolName
  readonly credential: string | undefined
}

/** What is needed to address one request to a vendor. */
export interface Destination extends UpstreamEndpoint {
  /** The upstream's own id of the model: some vendors name it in the path. */
  readonly model: string
  readonly operation: UpstreamOperation
}

/** The most tokens that one image may cost. */
export interface ImageTokens {
  /** Whose bytes stand in the body. */
  readonly inBody: number
  /** Of which the body has the address; absent when behind an address may be something else, which costs more. */
  readonly atAddress?: number
}

/** A kind of upstream: its URL shape, its way to present a credential, its habits. */
export interface Vendor {
  readonly name: string
  /** The protocols it can be spoken to in. */
  readonly protocols: readonly ProtocolName[]
  /**
   * Those in which it offers everything it has. An upstream of no particular protocol is spoken to in the
   * client's own, if it is one of these, else in the first.
   */
  readonly native: readonly [ProtocolName, ...ProtocolName[]]
  /** Where its public API is; undefined when there is no such place. */
  readonly baseUrl: string | undefined
  /** Undefined when the vendor has no such call (counting). */
  url(destination: Destination): string | undefined
  headers(place: UpstreamEndpoint): Record<string, string>
  /** Where it lists its models: a GET there shows whether it is reached and takes the credential. */
  modelsUrl(place: UpstreamEndpoint): string
  /**
   * Whether it goes on generating, and billing, a stream whose connection was closed. A whole answer is billed to
   * its end by every vendor. See docs/vendors.md for what is known of each.
   */
  readonly billsAbortedStreams: boolean
  /** What the model takes; see ModelTraits. */
  traits(model: string, baseUrl: string): ModelTraits
  /** What images cost at most; undefined, or absent, where nobody has told. */
  imageTokens?(model: string): ImageTokens | undefined
  /**
   * Who issues the signatures and encrypted thoughts of this model: the vendor and the model's family. What one
   * issuer made is never shown to another.
   */
  issuer(model: string, baseUrl: string): string
}

/** The protocol in which a client's request goes to an upstream; undefined for a word that nobody knows. */
export function protocolFor(
  vendor: Vendor,
  configured: string,
  client: ProtocolName,
): ProtocolName | undefined {
  if (isProtocolName(configured)) return configured
  if (configured !== 'any') return undefined
  return vendor.native.includes(client) ? client : vendor.native[0]
}

/** A base address with and without a trailing slash is the same place. */
export function joinUrl(baseUrl: string, path: string): string {
  return trimSlashes(baseUrl) + path
}

export function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** People paste addresses with and without the version prefix; one that is there is kept, never doubled. */
export function withVersion(baseUrl: string, version: string): string {
  const trimmed = trimSlashes(baseUrl)
  return /\/v\d+(?:(?:alpha|beta)\d*)?$/.test(trimmed) ? trimmed : `${trimmed}/${version}`
}

export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'unknown'
}

export function bearer(credential: string | undefined): Record<string, string> {
  return credential === undefined ? {} : { authorization: `Bearer ${credential}` }
}

/** The leading letters of a model id: `claude`, `gpt`, `gemini`. A tuned model is of the family it came from. */
export function familyOf(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/i, '')
  return /^[a-z]+/i.exec(last)?.[0].toLowerCase() ?? 'unknown'
}
