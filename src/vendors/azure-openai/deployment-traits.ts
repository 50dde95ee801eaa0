import type { ModelTraits } from '../../protocols/model-traits.ts'
import { gptTraits } from '../gpt-traits.ts'

const modelName = /(?<![a-z\d])(?:(?:chatgpt-|gpt-?)\d|o\d(?![a-z\d])).*/

/**
 * A deployment's name is the operator's choice. When it tells the model (`gpt-5-mini`, `eu-gpt-4o`), the model's
 * habits hold; when it does not, nothing is assumed and the request goes out as the client meant it.
 */
export function deploymentTraits(deployment: string): ModelTraits {
  const told = modelIn(deployment)
  return told === undefined ? {} : gptTraits(told)
}

/** The model that a deployment's name tells. */
export function modelIn(deployment: string): string | undefined {
  const told = modelName.exec(deployment.toLowerCase())?.[0]
  return told?.replace(/^gpt-?(?=\d)/, 'gpt-')
}
