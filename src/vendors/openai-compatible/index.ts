import { bearer, familyOf, hostOf, joinUrl, type Vendor } from '../vendor.ts'
import { compatibleTraits } from './compatible-traits.ts'

/** Any server that speaks OpenAI's protocols below a base address that already contains its version prefix. */
export const openaiCompatible: Vendor = {
  name: 'openai-compatible',
  protocols: ['chat-completions', 'responses'],
  native: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl, protocol, operation }) => {
    // Few of them can count; those that cannot would answer 404 to a question that an estimate can answer.
    if (operation === 'count') return undefined
    return joinUrl(baseUrl, protocol === 'responses' ? '/responses' : '/chat/completions')
  },
  modelsUrl: ({ baseUrl }) => joinUrl(baseUrl, '/models'),
  headers: ({ credential }) => bearer(credential),
  // Nobody knows who is behind the address: money is safe when it is assumed.
  billsAbortedStreams: true,
  traits: compatibleTraits,
  issuer: (model, baseUrl) => `${hostOf(baseUrl)}/${familyOf(model)}`,
}
