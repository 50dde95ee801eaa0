import { bearer, joinUrl, type Vendor } from '../vendor.ts'

/** Anthropic's chat-completions endpoint takes the API key as a bearer token. */
export const anthropic: Vendor = {
  name: 'anthropic',
  protocols: ['chat-completions'],
  baseUrl: 'https://api.anthropic.com',
  url: ({ baseUrl }) => joinUrl(baseUrl, '/v1/chat/completions'),
  headers: ({ credential }) => bearer(credential),
}
