import { bearer, joinUrl, type Vendor } from '../vendor.ts'

/** The Gemini API's chat-completions endpoint lives beside its own, under `/openai`. */
export const google: Vendor = {
  name: 'google',
  protocols: ['chat-completions'],
  baseUrl: 'https://generativelanguage.googleapis.com',
  url: ({ baseUrl }) => joinUrl(baseUrl, '/v1beta/openai/chat/completions'),
  headers: ({ credential }) => bearer(credential),
}
