import { createdSeconds } from './seed.ts'

/** The demo model answers to any id; the model list contains this one. */
const id = 'tollgate-demo'
const displayName = 'Tollgate demo'
const inputTokensMax = 128_000
const outputTokensMax = 16_384

export const modelLists = {
  openai: {
    object: 'list',
    data: [{ id, object: 'model', created: createdSeconds, owned_by: 'tollgate' }],
  },
  anthropic: {
    data: [
      {
        type: 'model',
        id,
        display_name: displayName,
        created_at: new Date(createdSeconds * 1000).toISOString(),
        max_input_tokens: inputTokensMax,
        max_tokens: outputTokensMax,
        capabilities: null,
      },
    ],
    has_more: false,
    first_id: id,
    last_id: id,
  },
  google: {
    models: [
      {
        name: `models/${id}`,
        version: '1',
        displayName,
        inputTokenLimit: inputTokensMax,
        outputTokenLimit: outputTokensMax,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
    ],
  },
} as const
