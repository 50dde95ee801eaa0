import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { Sdk } from '../sdk.ts'
import { aiFacts, connectAi } from './ai-like.ts'

export const aiAnthropic: Sdk = {
  ...aiFacts,
  name: 'ai with @ai-sdk/anthropic',
  protocol: 'messages',
  connect: (url, key) =>
    connectAi({
      model: createAnthropic({ apiKey: key, baseURL: `${url}/v1` }),
      thinkOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } },
    }),
  // The provider requests text only from models that it knows by name.
  schemaTool: (model) => (model.startsWith('claude-') ? undefined : 'json'),
}

export const aiGoogle: Sdk = {
  ...aiFacts,
  name: 'ai with @ai-sdk/google',
  protocol: 'generate-content',
  connect: (url, key) =>
    connectAi({
      model: createGoogleGenerativeAI({ apiKey: key, baseURL: `${url}/v1beta` }),
      thinkOptions: {
        google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 } },
      },
    }),
}
