import type { ProtocolName } from '../../../../src/core/neutral/protocol-name.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'

const chat = 'chat-completions'
const gen = 'generate-content'

export interface Row {
  readonly from: ProtocolName
  readonly to: readonly ProtocolName[]
  /** Added to the usual request; `generationConfig` is merged with that of the request. */
  readonly fields: JsonObject
  readonly warning: string
  /** The client's name of the field, if the warning contains more. */
  readonly field?: string
  /** A word that the upstream's body must not contain. */
  readonly gone?: string
}

/** Changes that may change the answer. */
export const lossy: Row[] = [
  {
    from: chat,
    to: ['responses'],
    fields: { stop: ['END'] },
    warning: 'stop_dropped',
    gone: 'END',
  },
  {
    from: chat,
    to: ['responses', 'messages'],
    fields: { seed: 7 },
    warning: 'seed_dropped',
    gone: 'seed',
  },
  {
    from: chat,
    to: ['responses', 'messages', gen],
    fields: { logit_bias: { 50256: -100 } },
    warning: 'logit_bias_dropped',
    gone: '50256',
  },
  {
    from: chat,
    to: ['responses', 'messages'],
    fields: { frequency_penalty: 0.5 },
    warning: 'frequency_penalty_dropped',
    gone: 'penalty',
  },
  {
    from: chat,
    to: ['responses', 'messages'],
    fields: { presence_penalty: 0.5 },
    warning: 'presence_penalty_dropped',
    gone: 'penalty',
  },
  {
    from: chat,
    to: ['messages'],
    fields: { logprobs: true },
    warning: 'logprobs_dropped',
    gone: 'logprobs',
  },
  {
    from: chat,
    to: ['messages'],
    fields: { temperature: 1.5 },
    warning: 'temperature_clamped',
    gone: '1.5',
  },
  // A reasoning model accepts none.
  {
    from: chat,
    to: ['responses'],
    fields: { temperature: 0.3 },
    warning: 'temperature_dropped',
    gone: '0.3',
  },
  {
    from: chat,
    to: ['messages'],
    fields: { response_format: { type: 'json_object' } },
    warning: 'response_format_as_instruction',
    gone: 'json_object',
  },
  {
    from: 'responses',
    to: ['messages'],
    fields: { top_logprobs: 3 },
    warning: 'top_logprobs_dropped',
  },
  {
    from: 'responses',
    to: ['messages'],
    fields: { temperature: 2 },
    warning: 'temperature_clamped',
  },
  {
    from: 'messages',
    to: ['responses'],
    fields: { stop_sequences: ['END'] },
    warning: 'stop_sequences_dropped',
    gone: 'END',
  },
  {
    from: 'messages',
    to: [chat, 'responses'],
    fields: { top_k: 5 },
    warning: 'top_k_dropped',
    gone: 'top_k',
  },
  {
    from: gen,
    to: [chat, 'responses'],
    fields: { generationConfig: { topK: 5 } },
    warning: 'generationConfig.topK_dropped',
    gone: 'top_k',
  },
  {
    from: gen,
    to: ['responses'],
    fields: { generationConfig: { stopSequences: ['END'] } },
    warning: 'generationConfig.stopSequences_dropped',
    gone: 'END',
  },
  {
    from: gen,
    to: ['responses', 'messages'],
    fields: { generationConfig: { seed: 7 } },
    warning: 'generationConfig.seed_dropped',
    gone: 'seed',
  },
  {
    from: 'responses',
    to: [chat, 'messages', gen],
    fields: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    warning: 'tools_code_interpreter_dropped',
    field: 'tools',
    gone: 'interpreter',
  },
  {
    from: gen,
    to: [chat, 'responses', 'messages'],
    fields: { tools: [{ codeExecution: {} }] },
    warning: 'tools_codeExecution_dropped',
    field: 'tools',
    gone: 'xecution',
  },
]

const ephemeral = { type: 'ephemeral' }

/** A tool that returned nothing, with a cache mark. */
const markedEmptyResults = [
  { cache_control: ephemeral },
  { content: [], cache_control: ephemeral },
  { content: '', cache_control: ephemeral },
  { content: [{ type: 'text', text: '', cache_control: ephemeral }] },
]

const lookTool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

/** A chat-completions conversation that ends with the result of a tool. */
function lookedAt(result: object): object[] {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  return [
    { role: 'user', content: 'Look.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', ...result },
  ]
}

/** Changes that do not change the answer. */
export const harmless: Row[] = [
  {
    from: chat,
    to: ['messages', gen],
    fields: { metadata: { a: 'b' } },
    warning: 'metadata_dropped',
    gone: '"b"',
  },
  {
    from: chat,
    to: ['messages', gen],
    fields: { prompt_cache_key: 'k7' },
    warning: 'prompt_cache_key_dropped',
    gone: 'k7',
  },
  {
    from: chat,
    to: ['messages', gen],
    fields: { service_tier: 'flex' },
    warning: 'service_tier_dropped',
    gone: 'flex',
  },
  { from: chat, to: [gen], fields: { user: 'u7' }, warning: 'user_dropped', gone: 'u7' },
  {
    from: 'responses',
    to: ['messages', gen],
    fields: { prompt_cache_key: 'k7' },
    warning: 'prompt_cache_key_dropped',
    gone: 'k7',
  },
  {
    from: 'messages',
    to: [gen],
    fields: { metadata: { user_id: 'u7' } },
    warning: 'metadata.user_id_dropped',
    gone: 'u7',
  },
  {
    from: 'messages',
    to: ['responses', gen],
    fields: { system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }] },
    warning: 'cache_control_dropped',
    gone: 'ephemeral',
  },
  ...markedEmptyResults.map((result) => ({
    from: 'messages' as const,
    to: ['chat-completions', 'responses', gen] as const,
    fields: {
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', ...result }] },
      ],
    },
    warning: 'cache_control_dropped',
    gone: 'ephemeral',
  })),
  ...markedEmptyResults.map((result) => ({
    from: 'chat-completions' as const,
    to: ['responses', gen] as const,
    fields: { tools: [lookTool], messages: lookedAt(result) },
    warning: 'cache_control_dropped',
    gone: 'ephemeral',
  })),
]
