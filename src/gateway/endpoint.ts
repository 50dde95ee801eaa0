import { Fault } from '../core/fault.ts'
import type { ProtocolName } from '../core/protocol-name.ts'

/** What a path and method ask for. `protocol` decides the shape of every answer, refusals included. */
export type Endpoint =
  | { readonly kind: 'exchange'; readonly protocol: ProtocolName }
  | { readonly kind: 'list-models'; readonly protocol: ProtocolName }
  | { readonly kind: 'get-model'; readonly protocol: ProtocolName; readonly model: string }

interface Row {
  readonly path: RegExp
  readonly methods: readonly string[]
  readonly open: (match: RegExpExecArray, protocol: ProtocolName) => Endpoint
}

const exchange = (_: RegExpExecArray, protocol: ProtocolName): Endpoint => ({
  kind: 'exchange',
  protocol,
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
  { path: /^\/v1\/messages$/, methods: ['POST'], open: exchange },
  {
    path: /^\/v1beta\/models\/(.+):(?:generateContent|streamGenerateContent)$/,
    methods: ['POST'],
    open: exchange,
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

export function findEndpoint(method: string, path: string, protocol: ProtocolName): Endpoint {
  for (const row of rows) {
    const match = row.path.exec(path)
    if (!match) continue
    if (row.methods.includes(method)) return row.open(match, protocol)
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
