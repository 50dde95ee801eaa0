import { z } from 'zod'
import { groupDefinition } from '../../catalog/definition/group.ts'
import { modelDefinition } from '../../catalog/definition/model.ts'
import { featuresKind, priceDefinition } from '../../catalog/definition/price.ts'
import { protocolNames } from '../../core/neutral/protocol-name.ts'
import { partOf, shownShape, without } from '../../fields/definition.ts'
import { shownOf } from '../../fields/kind.ts'
import { limitNames } from '../../fields/limit-fields.ts'
import { list, page } from './shapes.ts'

/**
 * Feature prices: nano-US-dollars per call or per million tokens, or a factor in millionths. Null and absent both mean
 * no price.
 */
export const featureTable = shownOf(featuresKind)
export type FeatureTable = z.infer<typeof featureTable>

/** Nano-US-dollars per million tokens, and per request. */
export type TokenPrices = Omit<PriceTable, 'features' | 'longPrompts'>

/** The price of all tokens of a request with more than `aboveTokens` prompt tokens. */
export type LongPromptPrice = NonNullable<PriceTable['longPrompts']>[number]

/**
 * A complete price; tiers for the shortest prompts first. In a new price, absent features mean the known features of
 * the model, and absent tiers mean those of the previous version in proportion.
 */
export const priceTable = z.strictObject(shownShape(priceDefinition.fields))
export type PriceTable = z.infer<typeof priceTable>

/** What a model can do, in the order in which it is shown. */
export const modelCapabilities = [
  'streaming',
  'tools',
  'structured-output',
  'reasoning',
  'sampling',
] as const
export const modelCapability = z.enum(modelCapabilities)
export type ModelCapability = z.infer<typeof modelCapability>

export const catalogueModel = z.strictObject({
  /** The id is the value of `model` in a request. */
  ...shownShape(without(modelDefinition, limitNames).fields),
  capabilities: list(modelCapability),
  /** All four protocols reach every model; native ones without translation. */
  endpoints: list(
    z.strictObject({
      protocol: z.enum(protocolNames),
      isNative: z.boolean(),
    }),
  ),
  /** With the group's factor; null if the model has no price and cannot be called. */
  prices: list(
    z.strictObject({
      group: z.string(),
      ...shownShape(partOf(groupDefinition, ['factor']).fields),
      price: priceTable.nullable(),
    }),
  ),
})
export type CatalogueModel = z.infer<typeof catalogueModel>

/** GET /models?account=&search=&after= : models that keys of these accounts may be allowed to call. */
export const catalogueAnswer = z.strictObject({
  ...page.shape,
  models: list(catalogueModel),
})
export type CatalogueAnswer = z.infer<typeof catalogueAnswer>

export const playgroundModel = z.strictObject({
  ...shownShape(partOf(modelDefinition, ['id', 'displayName']).fields),
  capabilities: list(modelCapability),
})
export type PlaygroundModel = z.infer<typeof playgroundModel>

export const playgroundKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  accountId: z.string(),
  /** Models that this key can call, sorted by id. */
  models: list(playgroundModel),
})
export type PlaygroundKey = z.infer<typeof playgroundKey>

/**
 * GET /playground/options?account= . A request is sent to `/console/api/playground/{keyId}` followed by the gateway's
 * path, such as `/console/api/playground/key_1/v1/chat/completions`, with the CSRF header and without an API key. It
 * runs in the gateway with that key from the browser's address, and is charged and logged as usual. The response, also
 * a stream, is passed through with its headers (`x-<brand>-request-id`, `x-<brand>-cost`). GET /usage/{requestId} then
 * tells the cost of a stream. Also `GET …/v1/models`.
 */
export const playgroundOptions = z.strictObject({
  keys: list(playgroundKey),
})
export type PlaygroundOptions = z.infer<typeof playgroundOptions>
