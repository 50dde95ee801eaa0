import type { FieldNames } from '../../field-names.ts'
import type { ToolRules } from '../../translation.ts'

export const fieldNames: FieldNames = {
  answers: 'n',
  cacheKey: 'prompt_cache_key',
  cacheMark: 'prompt_cache_breakpoint',
  endUser: 'user',
  extras: 'extras',
  format: 'text.format',
  frequencyPenalty: 'frequency_penalty',
  logitBias: 'logit_bias',
  logprobs: 'top_logprobs',
  messages: 'input',
  metadata: 'metadata',
  outputTokensMax: 'max_output_tokens',
  parallelCalls: 'parallel_tool_calls',
  presencePenalty: 'presence_penalty',
  reasoning: 'reasoning',
  seed: 'seed',
  serviceTier: 'service_tier',
  stop: 'stop',
  system: 'instructions',
  temperature: 'temperature',
  toolChoice: 'tool_choice',
  tools: 'tools',
  topK: 'top_k',
  topP: 'top_p',
  verbosity: 'text.verbosity',
}

/** No upstream gets namespaces: only one vendor has them, and a flat name means the same everywhere. */
export const toolRules: ToolRules = {
  nameLengthMax: 64,
  namePattern: /^[a-zA-Z0-9_-]+$/,
  callIdLengthMax: 64,
  callIdPattern: /^\S+$/,
  takesCustomTools: true,
  takesNamespaces: false,
}
