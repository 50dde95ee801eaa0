import { gptImageTokens } from '../gpt-image-tokens.ts'
import { gptTraits } from '../gpt-traits.ts'
import { bearer, familyOf, joinUrl, trimSlashes, type Vendor } from '../vendor.ts'

export const openai: Vendor = {
  name: 'openai',
  protocols: ['chat-completions', 'responses'],
  native: ['responses', 'chat-completions'],
  baseUrl: 'https://api.openai.com/v1',
  url: ({ baseUrl, protocol, operation }) => {
    const root = apiRoot(baseUrl)
    if (protocol === 'responses') {
      return joinUrl(root, operation === 'count' ? '/responses/input_tokens' : '/responses')
    }
    return operation === 'count' ? undefined : joinUrl(root, '/chat/completions')
  },
  modelsUrl: ({ baseUrl }) => joinUrl(apiRoot(baseUrl), '/models'),
  headers: ({ credential }) => bearer(credential),
  billsAbortedStreams: false,
  traits: gptTraits,
  imageTokens: gptImageTokens,
  issuer: (model) => `openai/${familyOf(model)}`,
}

/** A bare host lacks the version prefix. Any explicit path is kept. */
function apiRoot(baseUrl: string): string {
  const trimmed = trimSlashes(baseUrl)
  return /^https?:\/\/[^/]+$/.test(trimmed) ? `${trimmed}/v1` : trimmed
}
