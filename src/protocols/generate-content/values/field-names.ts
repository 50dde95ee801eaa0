import type { FieldNames } from '../../field-names.ts'
import type { ToolRules } from '../../translation.ts'

/**
 * The names that clients of this protocol use for the neutral fields. Fields that the protocol lacks have a plain name.
 */
export const fieldNames: FieldNames = {
  answers: 'generationConfig.candidateCount',
  cacheKey: 'cacheKey',
  cacheMark: 'cacheMark',
  endUser: 'user',
  extras: 'extras',
  format: 'generationConfig.responseSchema',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  logitBias: 'logitBias',
  logprobs: 'generationConfig.responseLogprobs',
  messages: 'contents',
  metadata: 'labels',
  outputTokensMax: 'generationConfig.maxOutputTokens',
  parallelCalls: 'parallelToolCalls',
  presencePenalty: 'generationConfig.presencePenalty',
  reasoning: 'generationConfig.thinkingConfig',
  seed: 'generationConfig.seed',
  serviceTier: 'serviceTier',
  stop: 'generationConfig.stopSequences',
  system: 'systemInstruction',
  temperature: 'generationConfig.temperature',
  toolChoice: 'toolConfig.functionCallingConfig',
  tools: 'tools',
  topK: 'generationConfig.topK',
  topP: 'generationConfig.topP',
  verbosity: 'verbosity',
}

export const toolRules: ToolRules = {
  nameLengthMax: 128,
  // The service also requires a letter or an underscore at the beginning.
  namePattern: /^[a-zA-Z_][a-zA-Z0-9_:.-]*$/,
  callIdLengthMax: 128,
  callIdPattern: /^.+$/s,
  takesCustomTools: false,
  takesNamespaces: false,
}
