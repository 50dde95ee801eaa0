import type { ModelTraits } from '../../protocols/model-traits.ts'
import { gptTraits } from '../gpt-traits.ts'

/**
 * What every compatible server understands: the older limit field, the older role, no wish about thinking. A
 * wish that is not understood is a 400 at some of them; leaving it out is a warning.
 */
export const commonCore: ModelTraits = {
  outputLimitField: 'max_tokens',
  instructionRole: 'system',
  thinking: 'none',
}

/** Open models whose chat templates read their own earlier thoughts. */
const returnsThoughts = /^(?:deepseek|kimi|glm|qwen|qwq|minimax|mimo|step)/

/** The habits of a model that come with it, whoever serves it. `name` is in lower case, without its owner. */
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
