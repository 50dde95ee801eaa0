import {
  bearer,
  familyOf,
  joinUrl,
  trimSlashes,
  type UpstreamOperation,
  type Vendor,
  withVersion,
} from '../vendor.ts'
import { geminiTraits } from './gemini-traits.ts'

const methods: Readonly<Record<UpstreamOperation, string>> = {
  generate: ':generateContent',
  stream: ':streamGenerateContent?alt=sse',
  count: ':countTokens',
}

/**
 * An image is scaled down to 3,072 pixels a side and cut into at most 25 tiles of 258 tokens; newer models count 2,240.
 * The gateway fetches the content of a URL, which may be a video.
 */
const imageTokensMax = 8_192

/** The Gemini API. Its chat-completions endpoint is beside its own, under `/openai`. */
export const google: Vendor = {
  name: 'google',
  providerName: 'gcp.gemini',
  protocols: ['generate-content', 'chat-completions'],
  native: ['generate-content'],
  baseUrl: 'https://generativelanguage.googleapis.com',
  url: ({ baseUrl, protocol, model, operation }) => {
    const root = apiRoot(baseUrl)
    if (protocol === 'generate-content') {
      return joinUrl(root, `/${modelPath(model)}${methods[operation]}`)
    }
    return operation === 'count' ? undefined : joinUrl(root, '/openai/chat/completions')
  },
  modelsUrl: ({ baseUrl, protocol }) =>
    joinUrl(apiRoot(baseUrl), protocol === 'generate-content' ? '/models' : '/openai/models'),
  headers: ({ protocol, credential }) => {
    if (protocol !== 'generate-content') return bearer(credential)
    return credential === undefined ? {} : { 'x-goog-api-key': credential }
  },
  billsAbortedStreams: true,
  traits: geminiTraits,
  imageTokens: () => ({ inBody: imageTokensMax }),
  issuer: (model) => `google/${familyOf(model)}`,
}

/** People also paste the URL of the compatible endpoint. */
function apiRoot(baseUrl: string): string {
  return withVersion(trimSlashes(baseUrl).replace(/\/openai$/, ''), 'v1beta')
}

/** Tuned models are in a separate collection. */
function modelPath(model: string): string {
  const name = /^(?:models|tunedModels)\//.test(model) ? model : `models/${model}`
  return name.split('/').map(encodeURIComponent).join('/')
}
