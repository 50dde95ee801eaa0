import type { ModelRequest, Sampling } from '../../../../src/core/neutral/model-request.ts'
import { as, dropped, partly, type RequestRow, refused, unsaid } from './request-row.ts'

export const placeSchema =
  '{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}'
const place: unknown = JSON.parse(placeSchema)

type SamplingName = keyof Sampling
type OptionName = Exclude<
  keyof ModelRequest,
  'model' | 'system' | 'turns' | 'tools' | 'toolChoice' | 'parallelCalls' | 'sampling' | 'extras'
>

function config(generationConfig: object) {
  return as({ generationConfig })
}

/** The compiler demands rows for each field of `Sampling`. */
export const samplingRows: Readonly<Record<SamplingName, readonly RequestRow[]>> = {
  temperature: [
    {
      sent: { sampling: { temperature: 0.25 } },
      arrives: {
        'chat-completions': as({ temperature: 0.25 }),
        responses: as({ temperature: 0.25 }),
        messages: as({ temperature: 0.25 }),
        'generate-content': config({ temperature: 0.25 }),
      },
    },
  ],
  topP: [
    {
      sent: { sampling: { topP: 0.5 } },
      arrives: {
        'chat-completions': as({ top_p: 0.5 }),
        responses: as({ top_p: 0.5 }),
        messages: as({ top_p: 0.5 }),
        'generate-content': config({ topP: 0.5 }),
      },
    },
  ],
  topK: [
    {
      sent: { sampling: { topK: 7 } },
      arrives: {
        'chat-completions': dropped('top_k_dropped'),
        responses: dropped('top_k_dropped'),
        messages: as({ top_k: 7 }),
        'generate-content': config({ topK: 7 }),
      },
    },
  ],
  seed: [
    {
      sent: { sampling: { seed: 42 } },
      arrives: {
        'chat-completions': as({ seed: 42 }),
        responses: dropped('seed_dropped'),
        messages: dropped('seed_dropped'),
        'generate-content': config({ seed: 42 }),
      },
    },
  ],
  stop: [
    {
      sent: { sampling: { stop: ['END', 'STOP'] } },
      arrives: {
        'chat-completions': as({ stop: ['END', 'STOP'] }),
        responses: dropped('stop_dropped'),
        messages: as({ stop_sequences: ['END', 'STOP'] }),
        'generate-content': config({ stopSequences: ['END', 'STOP'] }),
      },
    },
  ],
  presencePenalty: [
    {
      sent: { sampling: { presencePenalty: 0.5 } },
      arrives: {
        'chat-completions': as({ presence_penalty: 0.5 }),
        responses: dropped('presence_penalty_dropped'),
        messages: dropped('presence_penalty_dropped'),
        'generate-content': config({ presencePenalty: 0.5 }),
      },
    },
  ],
  frequencyPenalty: [
    {
      sent: { sampling: { frequencyPenalty: 0.5 } },
      arrives: {
        'chat-completions': as({ frequency_penalty: 0.5 }),
        responses: dropped('frequency_penalty_dropped'),
        messages: dropped('frequency_penalty_dropped'),
        'generate-content': config({ frequencyPenalty: 0.5 }),
      },
    },
  ],
  logitBias: [
    {
      sent: { sampling: { logitBias: '{"50256":-100}' } },
      arrives: {
        'chat-completions': as({ logit_bias: { '50256': -100 } }),
        responses: dropped('logit_bias_dropped'),
        messages: dropped('logit_bias_dropped'),
        'generate-content': dropped('logitBias_dropped'),
      },
    },
  ],
}

/** Two protocols have no field for the name, the description and the strictness of a format. */
const namelessFormat: Partial<ModelRequest> = {
  format: {
    type: 'json-schema',
    name: undefined,
    description: undefined,
    schema: placeSchema,
    isStrict: undefined,
  },
}

const asObject = 'Answer with one JSON object and nothing else: no words around it, no code fence.'

/** The compiler demands rows for each field of `ModelRequest`. */
export const optionRows: Readonly<Record<OptionName, readonly RequestRow[]>> = {
  isStream: [
    {
      sent: { isStream: true },
      arrives: {
        'chat-completions': as({ stream: true, stream_options: { include_usage: true } }),
        responses: as({ stream: true }),
        messages: as({ stream: true }),
        'generate-content': unsaid,
      },
    },
  ],
  outputTokensMax: [
    {
      sent: { outputTokensMax: 77 },
      arrives: {
        'chat-completions': as({ max_completion_tokens: 77 }),
        responses: as({ max_output_tokens: 77 }),
        messages: as({ max_tokens: 77 }),
        'generate-content': config({ maxOutputTokens: 77 }),
      },
    },
    {
      sent: { outputTokensMax: 77 },
      traits: { outputLimitField: 'max_tokens' },
      arrives: {
        'chat-completions': as({ max_tokens: 77 }),
        responses: as({ max_output_tokens: 77 }),
        messages: as({ max_tokens: 77 }),
        'generate-content': config({ maxOutputTokens: 77 }),
      },
    },
  ],
  answers: [
    {
      sent: { answers: 2 },
      arrives: {
        'chat-completions': as({ n: 2 }),
        responses: refused,
        messages: refused,
        'generate-content': config({ candidateCount: 2 }),
      },
    },
  ],
  format: [
    {
      sent: { format: { type: 'json-object' } },
      arrives: {
        'chat-completions': as({ response_format: { type: 'json_object' } }),
        responses: as({ text: { format: { type: 'json_object' } } }),
        messages: partly(
          { system: [{ type: 'text', text: asObject }] },
          'output_config.format_as_instruction',
          {},
        ),
        'generate-content': config({ responseMimeType: 'application/json' }),
      },
    },
    {
      sent: {
        format: {
          type: 'json-schema',
          name: 'place',
          description: 'A place.',
          schema: placeSchema,
          isStrict: true,
        },
      },
      arrives: {
        'chat-completions': as({
          response_format: {
            type: 'json_schema',
            json_schema: {
              name: 'place',
              description: 'A place.',
              schema: place,
              strict: true,
            },
          },
        }),
        responses: as({
          text: {
            format: {
              type: 'json_schema',
              name: 'place',
              description: 'A place.',
              schema: place,
              strict: true,
            },
          },
        }),
        messages: as(
          { output_config: { format: { type: 'json_schema', schema: place } } },
          namelessFormat,
        ),
        'generate-content': as(
          { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: place } },
          namelessFormat,
        ),
      },
    },
  ],
  reasoning: [
    {
      sent: { reasoning: { mode: 'effort', effort: 'high', isVisible: true } },
      arrives: {
        'chat-completions': as(
          { reasoning_effort: 'high' },
          { reasoning: { mode: 'effort', effort: 'high' } },
        ),
        responses: as({ reasoning: { effort: 'high', summary: 'auto' } }),
        messages: as({
          thinking: { type: 'adaptive', display: 'summarized' },
          output_config: { effort: 'high' },
        }),
        'generate-content': config({
          thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
        }),
      },
    },
    {
      sent: { reasoning: { mode: 'budget', budgetTokens: 2048 }, outputTokensMax: 4000 },
      beside: { outputTokensMax: 4000 },
      traits: { thinking: 'budget' },
      arrives: {
        'chat-completions': as(
          { reasoning_effort: 'medium' },
          { reasoning: { mode: 'effort', effort: 'medium' } },
        ),
        responses: as(
          { reasoning: { effort: 'medium' } },
          { reasoning: { mode: 'effort', effort: 'medium' } },
        ),
        messages: as(
          { thinking: { type: 'enabled', budget_tokens: 2048 } },
          { reasoning: { mode: 'budget', budgetTokens: 2048, isVisible: true } },
        ),
        'generate-content': config({
          maxOutputTokens: 4000,
          thinkingConfig: { thinkingBudget: 2048 },
        }),
      },
    },
    {
      sent: { reasoning: { mode: 'off' } },
      arrives: {
        'chat-completions': as({ reasoning_effort: 'none' }),
        responses: as({ reasoning: { effort: 'none' } }),
        messages: as({ thinking: { type: 'disabled' } }),
        'generate-content': as(
          { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } },
          { reasoning: { mode: 'effort', effort: 'minimal' } },
        ),
      },
    },
  ],
  logprobs: [
    {
      sent: { logprobs: { top: 3 } },
      arrives: {
        'chat-completions': as({ logprobs: true, top_logprobs: 3 }),
        responses: as({
          include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
          top_logprobs: 3,
        }),
        messages: dropped('logprobs_dropped'),
        'generate-content': config({ responseLogprobs: true, logprobs: 3 }),
      },
    },
  ],
  verbosity: [
    {
      sent: { verbosity: 'low' },
      arrives: {
        'chat-completions': as({ verbosity: 'low' }),
        responses: as({ text: { verbosity: 'low' } }),
        messages: dropped('verbosity_dropped'),
        'generate-content': dropped('verbosity_dropped'),
      },
    },
  ],
  endUser: [
    {
      sent: { endUser: 'user-7' },
      arrives: {
        'chat-completions': as({ user: 'user-7' }),
        responses: as({ user: 'user-7' }),
        messages: as({ metadata: { user_id: 'user-7' } }),
        'generate-content': dropped('user_dropped'),
      },
    },
  ],
  cacheKey: [
    {
      sent: { cacheKey: 'prefix-7' },
      arrives: {
        'chat-completions': as({ prompt_cache_key: 'prefix-7' }),
        responses: as({ prompt_cache_key: 'prefix-7' }),
        messages: dropped('prompt_cache_key_dropped'),
        'generate-content': dropped('cacheKey_dropped'),
      },
    },
  ],
  serviceTier: [
    {
      sent: { serviceTier: 'auto' },
      arrives: {
        'chat-completions': as({ service_tier: 'auto' }),
        responses: as({ service_tier: 'auto' }),
        messages: as({ service_tier: 'auto' }),
        'generate-content': unsaid,
      },
    },
    {
      sent: { serviceTier: 'default' },
      arrives: {
        'chat-completions': as({ service_tier: 'default' }),
        responses: as({ service_tier: 'default' }),
        messages: as({ service_tier: 'standard_only' }),
        'generate-content': dropped('serviceTier_dropped'),
      },
    },
  ],
  metadata: [
    {
      sent: { metadata: '{"team":"blue"}' },
      arrives: {
        'chat-completions': dropped('metadata_dropped'),
        responses: as({ metadata: { team: 'blue' } }),
        messages: dropped('metadata_dropped'),
        'generate-content': dropped('labels_dropped'),
      },
    },
  ],
  cacheMark: [
    {
      sent: { cacheMark: { ttl: '1h' } },
      arrives: {
        'chat-completions': dropped('cache_control_dropped'),
        responses: dropped('prompt_cache_breakpoint_dropped'),
        messages: as({ cache_control: { type: 'ephemeral', ttl: '1h' } }),
        'generate-content': dropped('cacheMark_dropped'),
      },
    },
    {
      sent: { cacheMark: { ttl: '1h' } },
      traits: { takesCacheMarks: true },
      arrives: {
        'chat-completions': as({ cache_control: { type: 'ephemeral', ttl: '1h' } }),
        responses: dropped('prompt_cache_breakpoint_dropped'),
        messages: as({ cache_control: { type: 'ephemeral', ttl: '1h' } }),
        'generate-content': dropped('cacheMark_dropped'),
      },
    },
  ],
}
