import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { PathFacts } from '../protocols/protocol.ts'
import { explainUnknownPath } from './explain-unknown-path.ts'
import { isGooglePath } from './protocol-of-call.ts'
import type { StoredAction } from './stored-response.ts'

/** What a path and method ask for. `protocol` decides the shape of every answer, refusals included. */
export type Endpoint =
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

interface Row {
  readonly path: RegExp
  readonly methods: readonly string[]
  readonly open: (
    match: RegExpExecArray,
    protocol: ProtocolName,
    call: { readonly method: string; readonly path: string; readonly query: string },
  ) => Endpoint
}

/** Most protocols say everything in the body. */
const inBody: PathFacts = { model: undefined, isStream: undefined, framing: 'sse' }

const exchange: Row['open'] = (_, protocol) => ({ kind: 'exchange', protocol, path: inBody })
const compact: Row['open'] = (_, protocol) => ({
  kind: 'exchange',
  protocol,
  path: { ...inBody, isCompaction: true },
})
const count: Row['open'] = (_, protocol) => ({ kind: 'count', protocol, path: inBody })

/** `models/{id}:action`; a stream that is not asked for as server-sent events is one JSON list. */
const generate: Row['open'] = (match, protocol, call) => {
  const action = match[2] ?? ''
  const isStream = action === 'streamGenerateContent'
  return {
    kind: action === 'countTokens' ? 'count' : 'exchange',
    protocol,
    path: {
      model: decodeModelId(match[1] ?? ''),
      isStream,
      framing: wantsJsonList(call) ? 'json-list' : 'sse',
    },
  }
}

const stored =
  (action: (method: string) => StoredAction): Row['open'] =>
  (match, protocol, { method }) => ({
    kind: 'stored',
    protocol,
    id: decodeModelId(match[1] ?? ''),
    action: action(method),
  })

const getModel = (match: RegExpExecArray, protocol: ProtocolName): Endpoint => ({
  kind: 'get-model',
  protocol,
  model: decodeModelId(match[1] ?? ''),
})

/** Model ids may contain slashes, so the last segment of these paths is greedy. */
const rows: readonly Row[] = [
  { path: /^\/v1\/chat\/completions$/, methods: ['POST'], open: exchange },
  { path: /^\/v1\/responses$/, methods: ['POST'], open: exchange },
  { path: /^\/v1\/responses\/input_tokens$/, methods: ['POST'], open: count },
  { path: /^\/v1\/responses\/compact$/, methods: ['POST'], open: compact },
  {
    path: /^\/v1\/responses\/([^/]+)$/,
    methods: ['GET', 'DELETE'],
    open: stored((method) => (method === 'DELETE' ? 'delete' : 'get')),
  },
  {
    path: /^\/v1\/responses\/([^/]+)\/input_items$/,
    methods: ['GET'],
    open: stored(() => 'input-items'),
  },
  {
    path: /^\/v1\/responses\/([^/]+)\/cancel$/,
    methods: ['POST'],
    open: stored(() => 'cancel'),
  },
  { path: /^\/v1\/messages$/, methods: ['POST'], open: exchange },
  { path: /^\/v1\/messages\/count_tokens$/, methods: ['POST'], open: count },
  {
    path: /^\/v1beta\/(?:models|tunedModels)\/(.+):(generateContent|streamGenerateContent|countTokens)$/,
    methods: ['POST'],
    open: generate,
  },
  {
    path: /^\/v1(?:beta)?\/models$/,
    methods: ['GET'],
    open: (_, protocol) => ({ kind: 'list-models', protocol }),
  },
  // Ids may hold a colon too; on /v1beta what follows one is an action, unless the client encodes it.
  { path: /^\/v1\/models\/(.+)$/, methods: ['GET'], open: getModel },
  { path: /^\/v1beta\/models\/([^:]+)$/, methods: ['GET'], open: getModel },
]

const otherVersion = /^\/v1(?:alpha)?\//

/** What a path takes; undefined for one that is not there. */
export function methodsOf(path: string, protocol: ProtocolName): readonly string[] | undefined {
  const known = knownPath(path, protocol)
  return rows.find((row) => row.path.test(known))?.methods
}

/** Google's clients are answered alike under each of its versions. */
function knownPath(path: string, protocol: ProtocolName): string {
  return protocol === 'generate-content' ? path.replace(otherVersion, '/v1beta/') : path
}

export function findEndpoint(
  call: { readonly method: string; readonly path: string; readonly query: string },
  protocol: ProtocolName,
): Endpoint {
  const { method, path } = call
  const known = knownPath(path, protocol)
  for (const row of rows) {
    const match = row.path.exec(known)
    if (!match) continue
    const takes = row.methods.includes(method) || (method === 'HEAD' && row.methods.includes('GET'))
    if (takes) return row.open(match, protocol, call)
    throw new Fault(
      'method_not_allowed',
      `${path} takes ${row.methods.join(' or ')}, not ${method}.`,
      {
        headers: { allow: row.methods.join(', ') },
      },
    )
  }
  throw new Fault('not_found', explainUnknownPath(method, path))
}

/** Whoever asks for a stream without server-sent events reads a JSON list, be it a list of one error. */
export function wantsJsonList({
  path,
  query,
}: {
  readonly path: string
  readonly query: string
}): boolean {
  if (!path.endsWith(':streamGenerateContent') || !isGooglePath(path)) return false
  return new URLSearchParams(query).get('alt') !== 'sse'
}

function decodeModelId(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
