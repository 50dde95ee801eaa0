import type { ModelTraits } from '../../protocols/model-traits.ts'
import { gptImageTokens } from '../gpt-image-tokens.ts'
import { gptTraits } from '../gpt-traits.ts'
import { familyOf, hostOf, joinUrl, trimSlashes, type Vendor } from '../vendor.ts'

/** The version of the older API; the v1 API needs none. */
const apiVersion = '2025-04-01-preview'
const modelName = /(?<![a-z\d])(?:(?:chatgpt-|gpt-?)\d|o\d(?![a-z\d])).*/

/**
 * The base URL is that of the resource. A base URL that ends in `/openai/v1` selects the v1 API, which has the
 * deployment in the body; otherwise the deployment is in the path. The responses protocol always uses v1, because the
 * older API has it only as a preview.
 */
export const azureOpenai: Vendor = {
  name: 'azure-openai',
  providerName: 'azure.ai.openai',
  protocols: ['chat-completions', 'responses'],
  native: ['chat-completions'],
  baseUrl: undefined,
  url: ({ baseUrl, protocol, model, operation }) => {
    if (operation === 'count') return undefined
    const root = resourceRoot(baseUrl)
    if (protocol === 'responses') return joinUrl(root, '/openai/v1/responses')
    if (isNextSurface(baseUrl)) return joinUrl(root, '/openai/v1/chat/completions')
    const deployment = encodeURIComponent(model)
    return joinUrl(
      root,
      `/openai/deployments/${deployment}/chat/completions?api-version=${apiVersion}`,
    )
  },
  modelsUrl: ({ baseUrl }) =>
    joinUrl(
      resourceRoot(baseUrl),
      isNextSurface(baseUrl) ? '/openai/v1/models' : `/openai/models?api-version=${apiVersion}`,
    ),
  headers: ({ credential }) => (credential === undefined ? {} : { 'api-key': credential }),
  billsAbortedStreams: false,
  traits: deploymentTraits,
  imageTokens: (deployment) => {
    const model = modelIn(deployment)
    return model === undefined ? undefined : gptImageTokens(model)
  },
  issuer: (model, baseUrl) => `azure-openai/${hostOf(baseUrl)}/${familyOf(model)}`,
}

function isNextSurface(baseUrl: string): boolean {
  return trimSlashes(baseUrl).endsWith('/openai/v1')
}

function resourceRoot(baseUrl: string): string {
  return trimSlashes(baseUrl).replace(/\/openai(?:\/v1|\/deployments(?:\/[^/]+)?)?$/, '')
}

/**
 * The operator chooses the name of a deployment. If the name contains the model (`gpt-5-mini`, `eu-gpt-4o`), the traits
 * of the model apply. Otherwise nothing is assumed, and the request goes out as the client sent it.
 */
function deploymentTraits(deployment: string): ModelTraits {
  const model = modelIn(deployment)
  return model === undefined ? {} : gptTraits(model)
}

/** The model in the name of a deployment. */
function modelIn(deployment: string): string | undefined {
  const model = modelName.exec(deployment.toLowerCase())?.[0]
  return model?.replace(/^gpt-?(?=\d)/, 'gpt-')
}
