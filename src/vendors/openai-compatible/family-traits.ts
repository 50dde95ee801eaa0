import type { ModelTraits } from '../../protocols/model-traits.ts'
import { gptTraits } from '../gpt-traits.ts'

/**
 * The fields that every compatible server accepts: the older limit field, the older role, no reasoning setting. Some
 * servers answer an unknown setting with 400; leaving it out is only a warning.
 */
export const commonCore: ModelTraits = {
  outputLimitField: 'max_tokens',
  instructionRole: 'system',
  thinking: 'none',
}

/** Open models whose chat templates read their own earlier reasoning. */
const returnsThoughts = /^(?:deepseek|kimi|glm|qwen|qwq|minimax|mimo|step)/

/** The traits of a model that apply whoever serves it. `name` is in lower case, without its owner. */
export function familyTraits(name: string): ModelTraits {
  if (name.startsWith('gpt-oss')) {
    return {
      ...commonCore,
      thinking: 'effort',
      efforts: ['low', 'medium', 'high'],
      alwaysThinks: true,
    }
  }
  if (/^(?:gpt-|chatgpt-|o\d(?:-|$))/.test(name)) return gptTraits(name)
  if (returnsThoughts.test(name)) return { ...commonCore, reasoningReturn: 'reasoning_content' }
  return commonCore
}
