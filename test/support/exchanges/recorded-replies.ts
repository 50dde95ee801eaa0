import type { ReplyTraits } from '../../../src/protocols/reply-traits.ts'
import { compatibleTraits } from '../../../src/vendors/openai-compatible/compatible-traits.ts'

/** The base URLs of the recorded services; any other service counts as an unknown server. */
const addresses: Readonly<Record<string, string>> = {
  alibaba: 'https://dashscope.aliyuncs.com',
  deepseek: 'https://api.deepseek.com',
  groq: 'https://api.groq.com',
  mistral: 'https://api.mistral.ai',
  moonshotai: 'https://api.moonshot.ai',
  openrouter: 'https://openrouter.ai',
  'vercel-gateway': 'https://ai-gateway.vercel.sh',
  xai: 'https://api.x.ai',
  zai: 'https://api.z.ai',
}

/** The vendors whose protocol is their own. */
const makers: readonly string[] = ['openai', 'azure', 'anthropic', 'bedrock', 'google-ai', 'vertex']

/** The traits that the gateway knows of a recorded service's replies. */
export function recordedReplies(vendor: string): ReplyTraits {
  if (makers.includes(vendor)) return {}
  return repliesAt(addresses[vendor] ?? 'https://nobody-knows.test')
}

/** The traits by the base URL of a compatible server. */
export function repliesAt(baseUrl: string): ReplyTraits {
  return compatibleTraits('some-model', baseUrl).replies ?? {}
}
