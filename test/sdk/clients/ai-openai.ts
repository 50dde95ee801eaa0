import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Sdk } from '../sdk.ts'
import { aiFacts, connectAi } from './ai-like.ts'

const openaiThoughts = {
  reasoningEffort: 'low',
  reasoningSummary: 'auto',
  forceReasoning: true,
  store: false,
  include: ['reasoning.encrypted_content'],
}

/** The provider's default: responses. */
export const aiResponses: Sdk = {
  ...aiFacts,
  name: 'ai with @ai-sdk/openai, responses',
  protocol: 'responses',
  connect: (url, key) =>
    connectAi({
      model: createOpenAI({ apiKey: key, baseURL: `${url}/v1` }),
      thinkOptions: { openai: openaiThoughts },
    }),
}

export const aiChat: Sdk = {
  ...aiFacts,
  name: 'ai with @ai-sdk/openai, chat',
  protocol: 'chat-completions',
  // OpenAI's own chat API shows no reasoning, so the provider does not read it.
  showsThoughts: false,
  returnsToken: (upstream) => upstream !== 'chat-completions',
  connect: (url, key) =>
    connectAi({
      model: (id) => createOpenAI({ apiKey: key, baseURL: `${url}/v1` }).chat(id),
      thinkOptions: { openai: { reasoningEffort: 'low', forceReasoning: true } },
    }),
}

/** The provider that coding agents use for all services except OpenAI. */
export const aiCompatible: Sdk = {
  ...aiFacts,
  name: 'ai with @ai-sdk/openai-compatible',
  protocol: 'chat-completions',
  finishes: { ...aiFacts.finishes, ownRefusal: 'stop' },
  // The provider sends back the reasoning without its token; other upstreams get the token from the gateway's memory.
  returnsToken: (upstream) => upstream !== 'chat-completions',
  connect: (url, key) =>
    connectAi({
      model: createOpenAICompatible({
        name: 'tollgate',
        apiKey: key,
        baseURL: `${url}/v1`,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }),
      thinkOptions: { tollgate: { reasoningEffort: 'low' } },
    }),
}
