import {
  bearer,
  familyOf,
  joinUrl,
  type UpstreamEndpoint,
  type Vendor,
  withVersion,
} from '../vendor.ts'
import { claudeImageTokens, claudeTraits } from './claude-traits.ts'

/** The version that accepts sampling parameters. The client's own version replaces it when its bytes are forwarded. */
const version = '2023-06-01'

/** Also any server that imitates the messages protocol, with another base URL. */
export const anthropic: Vendor = {
  name: 'anthropic',
  protocols: ['messages', 'chat-completions'],
  native: ['messages'],
  baseUrl: 'https://api.anthropic.com',
  url: ({ baseUrl, protocol, operation }) => {
    const root = withVersion(baseUrl, 'v1')
    if (protocol === 'messages') {
      return joinUrl(root, operation === 'count' ? '/messages/count_tokens' : '/messages')
    }
    return operation === 'count' ? undefined : joinUrl(root, '/chat/completions')
  },
  modelsUrl: ({ baseUrl }) => joinUrl(withVersion(baseUrl, 'v1'), '/models'),
  headers: (endpoint) => ({ ...credentialHeaders(endpoint), 'anthropic-version': version }),
  billsAbortedStreams: false,
  traits: claudeTraits,
  imageTokens: claudeImageTokens,
  issuer: (model) => `anthropic/${familyOf(model)}`,
}

/** Imitations of Anthropic read the credential from different headers, so they get it in both. */
function credentialHeaders({
  protocol,
  credential,
  baseUrl,
}: UpstreamEndpoint): Record<string, string> {
  if (credential === undefined) return {}
  if (protocol !== 'messages') return bearer(credential)
  const own = { 'x-api-key': credential }
  return isAnthropic(baseUrl) ? own : { ...own, ...bearer(credential) }
}

function isAnthropic(baseUrl: string): boolean {
  return /^https:\/\/(?:[^/]+\.)?anthropic\.com(?:[:/]|$)/.test(baseUrl)
}
