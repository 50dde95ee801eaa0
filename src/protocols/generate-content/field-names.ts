import type { FieldNames } from '../field-names.ts'

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
