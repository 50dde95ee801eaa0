import type { ReplyTraits } from '../../../src/protocols/reply-traits.ts'
import { compatibleTraits } from '../../../src/vendors/openai-compatible/compatible-traits.ts'

/** Where the recorded services are; any other is a server that nobody knows. */
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

/** These speak a protocol that is their own. */
const makers: readonly string[] = ['openai', 'azure', 'anthropic', 'bedrock', 'google-ai', 'vertex']

/** What the replies of a recorded service have beyond their protocol, as the gateway knows it. */
export function recordedReplies(vendor: string): ReplyTraits {
  if (makers.includes(vendor)) return {}
  return repliesAt(addresses[vendor] ?? 'https://nobody-knows.test')
}

/** The same by the address of a compatible server. */
export function repliesAt(baseUrl: string): ReplyTraits {
  return compatibleTraits('some-model', baseUrl).replies ?? {}
}
