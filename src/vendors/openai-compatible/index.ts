import { bearer, joinUrl, type Vendor } from '../vendor.ts'

/** Any server that speaks chat-completions below a base address that already contains its version prefix. */
export const openaiCompatible: Vendor = {
  name: 'openai-compatible',
  protocols: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl }) => joinUrl(baseUrl, '/chat/completions'),
  headers: ({ credential }) => bearer(credential),
}
