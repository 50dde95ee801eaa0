import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'
import type { PathFacts } from '../protocols/protocol.ts'
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

export function findEndpoint(
  call: { readonly method: string; readonly path: string; readonly query: string },
  protocol: ProtocolName,
): Endpoint {
  const { method, path } = call
  for (const row of rows) {
    const match = row.path.exec(path)
    if (!match) continue
    if (row.methods.includes(method)) return row.open(match, protocol, call)
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
  if (!path.startsWith('/v1beta/') || !path.endsWith(':streamGenerateContent')) return false
  return new URLSearchParams(query).get('alt') !== 'sse'
}

/** The protocol whose clients call this path. The two flavours of the model list differ by header, see there. */
export function protocolOfPath(path: string): ProtocolName {
  if (path.startsWith('/v1beta/')) return 'generate-content'
  if (path.startsWith('/v1/messages')) return 'messages'
  if (path.startsWith('/v1/responses')) return 'responses'
  return 'chat-completions'
}

function explainUnknownPath(method: string, path: string): string {
  const doubled = /^\/(v1|v1beta)\/(?:v1|v1beta)\//.exec(path)
  if (doubled) {
    return `There is no ${path}: the base address that your client is configured with already contains /${doubled[1]}, and the client adds it again. Remove it from the base address.`
  }
  return `There is no ${method} ${path.slice(0, 200)} on this gateway.`
}

function decodeModelId(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
