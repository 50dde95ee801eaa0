import type { ModelTraits } from '../../model-traits.ts'

/**
 * Whether a server accepts everything that OpenAI's own servers accept. A server that still wants `max_tokens` is a
 * compatible one: such servers know the core of the protocol, and some reject a request with an unknown field.
 */
export function isFullOpenAi(traits: ModelTraits): boolean {
  return traits.outputLimitField !== 'max_tokens'
}
