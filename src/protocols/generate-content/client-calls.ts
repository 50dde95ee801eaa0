import {
  type Called,
  type CallRow,
  type ClientCalls,
  decodeSegment,
  modelRows,
} from '../client-calls.ts'

const name = 'generate-content'

/** `models/{id}:action`; a stream that is not asked for as server-sent events is one JSON list. */
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

/** The same calls are there under three versions; the last lies where the other protocols are. */
const versionedCall =
  /^\/v1\/(?:models|tunedModels)\/.+:(?:generateContent|streamGenerateContent|countTokens)$/
const otherVersion = /^\/v1(?:alpha)?\//

export const clientCalls: ClientCalls = {
  // Ids may hold a colon; here what follows one is an action, unless the client encodes it.
  rows: [generate, ...modelRows(name, /^\/v1beta\/models$/, /^\/v1beta\/models\/([^:]+)$/)],
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

/** Whoever asks for a stream without server-sent events reads a JSON list, be it a list of one error. */
function wantsJsonList({ path, query }: Pick<Called, 'path' | 'query'>): boolean {
  if (!path.endsWith(':streamGenerateContent') || !isOwnPath(path)) return false
  return new URLSearchParams(query).get('alt') !== 'sse'
}
