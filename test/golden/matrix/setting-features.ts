import type { RequestFeature } from './request-feature.ts'
import { generating, schema } from './request-parts.ts'

/** Settings of the reply: format, length, sampling, reasoning. */
export const settingFeatures: readonly RequestFeature[] = [
  {
    name: 'JSON Schema output',
    bodies: {
      'chat-completions': {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      },
      responses: { text: { format: { type: 'json_schema', name: 'a', schema, strict: false } } },
      messages: { output_config: { format: { type: 'json_schema', schema } } },
      'generate-content': generating({
        responseMimeType: 'application/json',
        responseJsonSchema: schema,
      }),
    },
  },
  {
    name: 'JSON Schema output, strict',
    byItself: ['messages', 'generate-content'],
    without: {
      'chat-completions': {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      },
      responses: { text: { format: { type: 'json_schema', name: 'a', schema, strict: false } } },
    },
    bodies: {
      'chat-completions': {
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } },
      },
      responses: { text: { format: { type: 'json_schema', name: 'a', schema, strict: true } } },
    },
  },
  {
    name: 'any JSON object',
    bodies: {
      'chat-completions': { response_format: { type: 'json_object' } },
      responses: { text: { format: { type: 'json_object' } } },
      'generate-content': generating({ responseMimeType: 'application/json' }),
    },
  },
  {
    name: 'output limit',
    bodies: {
      'chat-completions': { max_completion_tokens: 77 },
      responses: { max_output_tokens: 77 },
      messages: { max_tokens: 77 },
      'generate-content': generating({ maxOutputTokens: 77 }),
    },
  },
  {
    name: 'temperature',
    bodies: {
      'chat-completions': { temperature: 0.5 },
      responses: { temperature: 0.5 },
      messages: { temperature: 0.5 },
      'generate-content': generating({ temperature: 0.5 }),
    },
  },
  {
    name: 'temperature above 1',
    bodies: {
      'chat-completions': { temperature: 1.5 },
      responses: { temperature: 1.5 },
      'generate-content': generating({ temperature: 1.5 }),
    },
  },
  {
    name: 'top_p',
    bodies: {
      'chat-completions': { top_p: 0.5 },
      responses: { top_p: 0.5 },
      messages: { top_p: 0.5 },
      'generate-content': generating({ topP: 0.5 }),
    },
  },
  {
    name: 'top_k',
    bodies: { messages: { top_k: 5 }, 'generate-content': generating({ topK: 5 }) },
  },
  {
    name: 'stop sequences',
    bodies: {
      'chat-completions': { stop: ['END'] },
      messages: { stop_sequences: ['END'] },
      'generate-content': generating({ stopSequences: ['END'] }),
    },
  },
  {
    name: 'five stop sequences',
    bodies: {
      messages: { stop_sequences: ['a', 'b', 'c', 'd', 'e'] },
      'generate-content': generating({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }),
    },
  },
  {
    name: 'seed',
    bodies: { 'chat-completions': { seed: 0 }, 'generate-content': generating({ seed: 0 }) },
  },
  {
    name: 'penalties',
    bodies: {
      'chat-completions': { presence_penalty: 0.5, frequency_penalty: 0.5 },
      'generate-content': generating({ presencePenalty: 0.5, frequencyPenalty: 0.5 }),
    },
  },
  { name: 'logit bias', bodies: { 'chat-completions': { logit_bias: { '42': 1 } } } },
  {
    name: 'log probabilities',
    bodies: {
      'chat-completions': { logprobs: true, top_logprobs: 2 },
      responses: { top_logprobs: 2, include: ['message.output_text.logprobs'] },
      'generate-content': generating({ responseLogprobs: true, logprobs: 2 }),
    },
  },
  {
    name: 'several answers',
    bodies: {
      'chat-completions': { n: 2 },
      'generate-content': generating({ candidateCount: 2 }),
    },
  },
  {
    name: 'reasoning by effort',
    bodies: {
      'chat-completions': { reasoning_effort: 'high' },
      responses: { reasoning: { effort: 'high' } },
      messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      'generate-content': generating({ thinkingConfig: { thinkingLevel: 'HIGH' } }),
    },
  },
  {
    name: 'reasoning by budget',
    bodies: {
      messages: { max_tokens: 9000, thinking: { type: 'enabled', budget_tokens: 4000 } },
      'generate-content': generating({ thinkingConfig: { thinkingBudget: 4000 } }),
    },
  },
  {
    name: 'no reasoning',
    bodies: {
      'chat-completions': { reasoning_effort: 'none' },
      responses: { reasoning: { effort: 'none' } },
      messages: { thinking: { type: 'disabled' } },
      'generate-content': generating({ thinkingConfig: { thinkingBudget: 0 } }),
    },
  },
  {
    name: 'visible reasoning',
    byItself: ['chat-completions'],
    without: {
      responses: { reasoning: { effort: 'high' } },
      messages: { thinking: { type: 'adaptive', display: 'omitted' } },
    },
    bodies: {
      responses: { reasoning: { effort: 'high', summary: 'auto' } },
      messages: { thinking: { type: 'adaptive', display: 'summarized' } },
      'generate-content': generating({ thinkingConfig: { includeThoughts: true } }),
    },
  },
  {
    name: 'verbosity',
    bodies: { 'chat-completions': { verbosity: 'low' }, responses: { text: { verbosity: 'low' } } },
  },
  {
    name: 'end user',
    bodies: {
      'chat-completions': { user: 'u1' },
      responses: { safety_identifier: 'u1' },
      messages: { metadata: { user_id: 'u1' } },
    },
  },
  {
    name: 'labels',
    bodies: {
      'chat-completions': { metadata: { team: 'a' } },
      responses: { metadata: { team: 'a' } },
      'generate-content': { labels: { team: 'a' } },
    },
  },
  {
    name: 'cache breakpoints',
    without: { messages: { system: [{ type: 'text', text: 'Be brief.' }] } },
    bodies: {
      messages: {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      },
    },
  },
  {
    name: 'cache key',
    bodies: { 'chat-completions': { prompt_cache_key: 'k' }, responses: { prompt_cache_key: 'k' } },
  },
  {
    name: 'service tier',
    bodies: {
      'chat-completions': { service_tier: 'flex' },
      responses: { service_tier: 'flex' },
      messages: { service_tier: 'standard_only' },
    },
  },
  {
    name: 'safety settings',
    bodies: {
      'generate-content': {
        safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      },
    },
  },
  {
    name: 'stored previous response',
    bodies: { responses: { previous_response_id: 'resp_1' } },
  },
]
