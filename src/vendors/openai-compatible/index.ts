import { bearer, familyOf, hostOf, joinUrl, type Vendor } from '../vendor.ts'
import { compatibleTraits } from './compatible-traits.ts'

/** Any server that speaks OpenAI's protocols. Its base URL already contains the version prefix. */
export const openaiCompatible: Vendor = {
  name: 'openai-compatible',
  protocols: ['chat-completions', 'responses'],
  native: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl, protocol, operation }) => {
    // Few servers can count. The others would answer 404, and an estimate can answer instead.
    if (operation === 'count') return undefined
    return joinUrl(baseUrl, protocol === 'responses' ? '/responses' : '/chat/completions')
  },
  modelsUrl: ({ baseUrl }) => joinUrl(baseUrl, '/models'),
  headers: ({ credential }) => bearer(credential),
  // The vendor behind the URL is unknown. Assuming that it bills is the safe choice for money.
  billsAbortedStreams: true,
  traits: compatibleTraits,
  issuer: (model, baseUrl) => `${hostOf(baseUrl)}/${familyOf(model)}`,
}
