import {
  type CallRow,
  type ClientCalls,
  decodeSegment,
  modelRows,
  type RequestLine,
} from '../client-calls.ts'

const name = 'generate-content'

/** `models/{id}:action`. A stream that is not requested as server-sent events is one JSON list. */
const generate: CallRow = {
  path: /^\/v1beta\/(?:models|tunedModels)\/(.+):(generateContent|streamGenerateContent|countTokens)$/,
  methods: ['POST'],
  open: (match, call) => {
    const action = match[2] ?? ''
    return {
      kind: action === 'countTokens' ? 'count' : 'exchange',
      protocol: name,
      path: {
        model: decodeSegment(match[1] ?? ''),
        isStream: action === 'streamGenerateContent',
        framing: wantsJsonList(call) ? 'json-list' : 'sse',
      },
    }
  },
}

/** The same calls exist under three versions. The last version shares its prefix with the other protocols. */
const versionedCall =
  /^\/v1\/(?:models|tunedModels)\/.+:(?:generateContent|streamGenerateContent|countTokens)$/
const otherVersion = /^\/v1(?:alpha)?\//

export const clientCalls: ClientCalls = {
  // Model ids may contain a colon. Here the text after a colon is an action, unless the client encodes the colon.
  rows: [generate, ...modelRows(name, /^\/v1beta\/models$/, /^\/v1beta\/models\/([^:]+)$/)],
  fixedPaths: ['/v1beta/models'],
  idsAfter: ['models', 'tunedModels'],
  isOwnPath,
  ownHeaders: ['x-goog-api-client'],
  keyInQuery: 'key',
  knownPath: (path) => path.replace(otherVersion, '/v1beta/'),
  wantsJsonList,
  basePath: '',
  generatePath: {
    whole: '/v1beta/models/{model}:generateContent',
    stream: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
  },
}

function isOwnPath(path: string): boolean {
  return path.startsWith('/v1beta/') || path.startsWith('/v1alpha/') || versionedCall.test(path)
}

/** A client that requests a stream without server-sent events reads a JSON list, even for a single error. */
function wantsJsonList({ path, query }: Pick<RequestLine, 'path' | 'query'>): boolean {
  if (!path.endsWith(':streamGenerateContent') || !isOwnPath(path)) return false
  return new URLSearchParams(query).get('alt') !== 'sse'
}
