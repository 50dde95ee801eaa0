import type { ProtocolName } from '../core/protocol-name.ts'
import type { PathFacts } from './protocol.ts'

/** What a path and method ask for. `protocol` decides the shape of every answer, refusals included. */
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

export interface Called {
  readonly method: string
  readonly path: string
  readonly query: string
}

/** A path that clients of a protocol call. */
export interface CallRow {
  readonly path: RegExp
  readonly methods: readonly string[]
  readonly open: (match: RegExpExecArray, call: Called) => EndpointKind
}

/** Where and how the clients of a protocol call. */
export interface ClientCalls {
  readonly rows: readonly CallRow[]
  /** Whether only clients of this protocol call the path: it then decides the shape of every answer. */
  isOwnPath(path: string): boolean
  /** Headers that only its clients send: they tell them apart on a path that several protocols share. */
  readonly ownHeaders: readonly string[]
  /** The header in which its clients, and no others, send the key alone. */
  readonly keyHeader?: string
  /** On its own paths the key may also stand in the query, under this name. */
  readonly keyInQuery?: string
  /** The path as `rows` have it, where clients call the same under several names. */
  knownPath?(path: string): string
  /** 400 for headers that are not this protocol's. */
  checkHeaders?(headers: Headers): void
  /** Whether the answer, be it an error, is read as one JSON list. */
  wantsJsonList?(call: Called): boolean
  /** What the base address of its clients ends in. */
  readonly basePath: string
  /** Where a model is asked; `{model}` stands for its id, where that is part of the path. */
  readonly generatePath: { readonly whole: string; readonly stream: string }
}

/** Most protocols say everything in the body. */
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

/** The list of models and each of them; the id of a model is the first group of its path. */
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

/** Ids of models may contain slashes and colons, so the last segment of the path is greedy. */
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
