import { isProtocolName, type ProtocolName } from '../core/neutral/protocol-name.ts'
import type { ModelTraits } from '../protocols/model-traits.ts'

/** The kind of upstream request: a whole answer, a streamed answer, or only a token count. */
export type UpstreamOperation = 'generate' | 'stream' | 'count'

/** The base URL and the protocol of an upstream. */
export interface UpstreamEndpoint {
  readonly baseUrl: string
  readonly protocol: ProtocolName
  readonly credential: string | undefined
}

/** The facts that are needed to address one request to a vendor. */
export interface Destination extends UpstreamEndpoint {
  /** The upstream's id of the model: some vendors have it in the path. */
  readonly model: string
  readonly operation: UpstreamOperation
}

/** The most tokens that one image may cost. */
export interface ImageTokens {
  /** For an image inside the body. */
  readonly inBody: number
  /** For an image that the body names by URL; absent when the URL may lead to other media that cost more. */
  readonly atAddress?: number
}

/** A kind of upstream: the form of its URLs, how it takes a credential, and the traits of its models. */
export interface Vendor {
  readonly name: string
  /** The name in OpenTelemetry's conventions, if it differs from `name`. */
  readonly providerName?: string
  /** The protocols that the vendor supports. */
  readonly protocols: readonly ProtocolName[]
  /**
   * The protocols with all of the vendor's features. An upstream without a configured protocol uses the client's
   * protocol if it is one of these, else the first.
   */
  readonly native: readonly [ProtocolName, ...ProtocolName[]]
  /** The base URL of the public API; undefined when the vendor has none. */
  readonly baseUrl: string | undefined
  /** Undefined when the vendor has no such call (counting). */
  url(destination: Destination): string | undefined
  headers(endpoint: UpstreamEndpoint): Record<string, string>
  /** The URL of the model list. A GET shows whether the upstream is reachable and accepts the credential. */
  modelsUrl(endpoint: UpstreamEndpoint): string
  /**
   * Whether the vendor continues to generate and bill a stream after its connection was closed. Every vendor bills a
   * whole answer to its end. See docs/vendors.md for the known facts of each vendor.
   */
  readonly billsAbortedStreams: boolean
  /** The traits of the model; see ModelTraits. */
  traits(model: string, baseUrl: string): ModelTraits
  /** The most tokens that images cost; undefined or absent when unknown. */
  imageTokens?(model: string): ImageTokens | undefined
  /**
   * The issuer of the signatures and encrypted reasoning of this model: the vendor and the model's family. Data of one
   * issuer is never sent to another.
   */
  issuer(model: string, baseUrl: string): string
}

/** The protocol in which a client's request goes to an upstream; undefined for an unknown name. */
export function protocolFor(
  vendor: Vendor,
  configured: string,
  client: ProtocolName,
): ProtocolName | undefined {
  if (isProtocolName(configured)) return configured
  if (configured !== 'any') return undefined
  return vendor.native.includes(client) ? client : vendor.native[0]
}

/** A base URL with a trailing slash is the same as without. */
export function joinUrl(baseUrl: string, path: string): string {
  return trimSlashes(baseUrl) + path
}

export function trimSlashes(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** People paste base URLs with and without the version prefix. An existing prefix is kept and never doubled. */
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

/** The vendor's own name of a model in lower case: without the path before it and the mark of a tuned model. */
export function bareName(model: string): string {
  return model
    .slice(model.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^ft:/, '')
}

/**
 * The leading letters of a model id: `claude`, `gpt`, `gemini`. A tuned model belongs to the family of its base model.
 */
export function familyOf(model: string): string {
  return /^[a-z]+/.exec(bareName(model))?.[0] ?? 'unknown'
}
