import type { ProtocolName } from '../core/neutral/protocol-name.ts'
import type { PathFacts } from './request-facts.ts'

/** The kind of call that a path and method make. `protocol` decides the shape of every response, errors included. */
export type EndpointKind =
  | { readonly kind: 'exchange'; readonly protocol: ProtocolName; readonly path: PathFacts }
  | { readonly kind: 'count'; readonly protocol: ProtocolName; readonly path: PathFacts }
  | {
      readonly kind: 'stored'
      readonly protocol: ProtocolName
      readonly id: string
      readonly action: StoredAction
    }
  | { readonly kind: 'list-models'; readonly protocol: ProtocolName }
  | { readonly kind: 'get-model'; readonly protocol: ProtocolName; readonly model: string }

export type StoredAction = 'get' | 'delete' | 'input-items' | 'cancel'

export interface RequestLine {
  readonly method: string
  readonly path: string
  readonly query: string
}

/** A path that clients of a protocol call. */
export interface CallRow {
  readonly path: RegExp
  readonly methods: readonly string[]
  readonly open: (match: RegExpExecArray, call: RequestLine) => EndpointKind
}

/** The paths and headers that the clients of a protocol use. */
export interface ClientCalls {
  readonly rows: readonly CallRow[]
  /** The paths of `rows` that contain no id. */
  readonly fixedPaths: readonly string[]
  /** The segments after which an id follows. The slashes of an id may be encoded. */
  readonly idsAfter: readonly string[]
  /** Whether only clients of this protocol call the path. The protocol then decides the shape of every response. */
  isOwnPath(path: string): boolean
  /**
   * Headers that only clients of this protocol send. They identify the protocol on a path that several protocols share.
   */
  readonly ownHeaders: readonly string[]
  /** The header in which only clients of this protocol send the bare key. */
  readonly keyHeader?: string
  /** The query parameter that may carry the key on the protocol's own paths. */
  readonly keyInQuery?: string
  /** The path as `rows` spell it, for a protocol whose clients call one endpoint under several paths. */
  knownPath?(path: string): string
  /** Throws a 400 for headers that this protocol does not allow. */
  checkHeaders?(headers: Headers): void
  /** Whether the client reads the response, an error included, as one JSON list. */
  wantsJsonList?(call: RequestLine): boolean
  /** The end of the base URL that clients of this protocol use. */
  readonly basePath: string
  /** The paths that generate an answer. `{model}` stands for the model id if the path contains it. */
  readonly generatePath: { readonly whole: string; readonly stream: string }
}

/** The path facts of a protocol that sends everything in the body, as most protocols do. */
export const inBody: PathFacts = { model: undefined, isStream: undefined, framing: 'sse' }

export function exchangeRow(
  protocol: ProtocolName,
  path: RegExp,
  facts: PathFacts = inBody,
): CallRow {
  const endpoint: EndpointKind = { kind: 'exchange', protocol, path: facts }
  return { path, methods: ['POST'], open: () => endpoint }
}

export function countRow(protocol: ProtocolName, path: RegExp): CallRow {
  const endpoint: EndpointKind = { kind: 'count', protocol, path: inBody }
  return { path, methods: ['POST'], open: () => endpoint }
}

/** The model list and the single model. The first group of `one` is the model id. */
export function modelRows(protocol: ProtocolName, list: RegExp, one: RegExp): readonly CallRow[] {
  const endpoint: EndpointKind = { kind: 'list-models', protocol }
  return [
    { path: list, methods: ['GET'], open: () => endpoint },
    {
      path: one,
      methods: ['GET'],
      open: (match) => ({ kind: 'get-model', protocol, model: decodeSegment(match[1] ?? '') }),
    },
  ]
}

export const modelsPath = '/v1/models'

/** Model ids may contain slashes and colons, so the last path segment matches greedily. */
export function commonModelRows(protocol: ProtocolName): readonly CallRow[] {
  return modelRows(protocol, /^\/v1\/models$/, /^\/v1\/models\/(.+)$/)
}

export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
