import type { FieldNames } from '../../field-names.ts'
import type { ToolRules } from '../../translation.ts'

/** A field that this protocol does not have keeps the name of the protocol that has it. */
export const fieldNames: FieldNames = {
  answers: 'n',
  cacheKey: 'prompt_cache_key',
  cacheMark: 'cache_control',
  endUser: 'metadata.user_id',
  extras: 'extras',
  format: 'output_config.format',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  messages: 'messages',
  metadata: 'metadata',
  outputTokensMax: 'max_tokens',
  parallelCalls: 'tool_choice.disable_parallel_tool_use',
  presencePenalty: 'presence_penalty',
  reasoning: 'thinking',
  seed: 'seed',
  serviceTier: 'service_tier',
  stop: 'stop_sequences',
  system: 'system',
  temperature: 'temperature',
  toolChoice: 'tool_choice',
  tools: 'tools',
  topK: 'top_k',
  topP: 'top_p',
  verbosity: 'verbosity',
}

export const toolRules: ToolRules = {
  nameLengthMax: 128,
  namePattern: /^[a-zA-Z0-9_-]+$/,
  callIdLengthMax: 256,
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  takesCustomTools: false,
  takesNamespaces: false,
}
