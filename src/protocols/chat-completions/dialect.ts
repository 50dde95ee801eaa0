import type { ModelTraits } from '../model-traits.ts'

/**
 * Whether a server knows all that OpenAI's own knows. One that still wants `max_tokens` is a compatible one:
 * those know the core of the protocol, and some refuse a request for a field they do not know.
 */
export function isFullOpenAi(traits: ModelTraits): boolean {
  return traits.outputLimitField !== 'max_tokens'
}
