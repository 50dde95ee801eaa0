import type { ProtocolName } from '../core/protocol-name.ts'

/**
 * The protocol whose clients call this path: it decides the shape of every answer, refusals included. Where they
 * share one, as for the model list and all that is not there, they are told apart by their headers.
 */
export function protocolOfCall(headers: Headers, path: string): ProtocolName {
  if (path.startsWith('/v1/chat/')) return 'chat-completions'
  if (path.startsWith('/v1/messages')) return 'messages'
  if (path.startsWith('/v1/responses')) return 'responses'
  return isGooglePath(path) ? 'generate-content' : protocolOfHeaders(headers)
}

const googleCall =
  /^\/v1\/(?:models|tunedModels)\/.+:(?:generateContent|streamGenerateContent|countTokens)$/

/** Google has the same calls under three versions. Its v1 lies where the other protocols are. */
export function isGooglePath(path: string): boolean {
  return path.startsWith('/v1beta/') || path.startsWith('/v1alpha/') || googleCall.test(path)
}

/**
 * Anthropic's clients are known by their version header, or by a key that comes in `x-api-key` and not as a bearer
 * token; Google's by the header in which they name themselves.
 */
function protocolOfHeaders(headers: Headers): ProtocolName {
  if (headers.has('anthropic-version') || headers.has('vendor-version')) return 'messages'
  if (headers.has('x-goog-api-client')) return 'generate-content'
  const hasOnlyApiKey = headers.has('x-api-key') && !headers.has('authorization')
  return hasOnlyApiKey ? 'messages' : 'chat-completions'
}
