import { bearer, joinUrl, type Vendor } from '../vendor.ts'

export const openai: Vendor = {
  name: 'openai',
  protocols: ['chat-completions'],
  baseUrl: 'https://api.openai.com/v1',
  url: ({ baseUrl }) => joinUrl(baseUrl, '/chat/completions'),
  headers: ({ credential }) => bearer(credential),
}
