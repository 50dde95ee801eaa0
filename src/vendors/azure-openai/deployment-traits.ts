import type { ModelTraits } from '../../protocols/model-traits.ts'
import { gptTraits } from '../gpt-traits.ts'

const modelName = /(?<![a-z\d])(?:(?:chatgpt-|gpt-?)\d|o\d(?![a-z\d])).*/

/**
 * The operator chooses the name of a deployment. If the name contains the model (`gpt-5-mini`, `eu-gpt-4o`), the traits
 * of the model apply. Otherwise nothing is assumed, and the request goes out as the client sent it.
 */
export function deploymentTraits(deployment: string): ModelTraits {
  const told = modelIn(deployment)
  return told === undefined ? {} : gptTraits(told)
}

/** The model in the name of a deployment. */
export function modelIn(deployment: string): string | undefined {
  const told = modelName.exec(deployment.toLowerCase())?.[0]
  return told?.replace(/^gpt-?(?=\d)/, 'gpt-')
}
