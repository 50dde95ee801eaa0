import type { FieldNames } from '../../field-names.ts'
import type { ToolRules } from '../../translation.ts'

/** The names that chat clients use for the neutral fields. */
export const fieldNames: FieldNames = {
  answers: 'n',
  cacheKey: 'prompt_cache_key',
  cacheMark: 'cache_control',
  endUser: 'user',
  extras: 'extras',
  format: 'response_format',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  logprobs: 'logprobs',
  messages: 'messages',
  metadata: 'metadata',
  outputTokensMax: 'max_completion_tokens',
  parallelCalls: 'parallel_tool_calls',
  presencePenalty: 'presence_penalty',
  reasoning: 'reasoning_effort',
  seed: 'seed',
  serviceTier: 'service_tier',
  stop: 'stop',
  system: 'messages',
  temperature: 'temperature',
  toolChoice: 'tool_choice',
  tools: 'tools',
  topK: 'top_k',
  topP: 'top_p',
  verbosity: 'verbosity',
}

/**
 * OpenAI accepts call ids of up to 40 characters. OpenAI also accepts custom tools, but compatible servers do not, and
 * a function with one text field means the same everywhere.
 */
export const toolRules: ToolRules = {
  nameLengthMax: 64,
  namePattern: /^[a-zA-Z0-9_-]+$/,
  callIdLengthMax: 40,
  callIdPattern: /^[a-zA-Z0-9_-]+$/,
  takesCustomTools: false,
  takesNamespaces: false,
}
