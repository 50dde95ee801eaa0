import { z } from 'zod'
import { groupDefinition } from '../../catalog/definition/group.ts'
import { modelDefinition } from '../../catalog/definition/model.ts'
import { featuresKind, priceDefinition } from '../../catalog/definition/price.ts'
import { protocolNames } from '../../core/protocol-name.ts'
import { partOf, shownShape } from '../../fields/definition.ts'
import { shownOf } from '../../fields/kind.ts'
import { list, page } from './shapes.ts'

/**
 * What features cost: nano-US-dollars for each call or for a million tokens of the kind, or a factor in millionths. Null
 * says that there is no price, and one that is not there has none either.
 */
export const featureTable = shownOf(featuresKind)
export type FeatureTable = z.infer<typeof featureTable>

/** Nano-US-dollars per million tokens, and per request. */
export type TokenPrices = Omit<PriceTable, 'features' | 'longPrompts'>

/** The price of all tokens of a request whose prompt has more than `aboveTokens`. */
export type LongPromptPrice = NonNullable<PriceTable['longPrompts']>[number]

/**
 * All that a price says; the steps for the shortest prompts first. In a new price: without features those that are known
 * of the model, without steps those of the version before, in proportion.
 */
export const priceTable = z.strictObject(shownShape(priceDefinition.fields))
export type PriceTable = z.infer<typeof priceTable>

export const modelCapability = z.enum([
  'reasoning',
  'sampling',
  'structured-output',
  'tools',
  'streaming',
])
export type ModelCapability = z.infer<typeof modelCapability>

export const catalogueModel = z.strictObject({
  /** Its id is exactly what goes into `model`. */
  ...shownShape(modelDefinition.fields),
  capabilities: list(modelCapability),
  /** All four reach every model; native ones without being translated. */
  endpoints: list(
    z.strictObject({
      protocol: z.enum(protocolNames),
      isNative: z.boolean(),
    }),
  ),
  /** With the group's factor applied; null when the model has no price and cannot be called. */
  prices: list(
    z.strictObject({
      group: z.string(),
      ...shownShape(partOf(groupDefinition, ['factor']).fields),
      price: priceTable.nullable(),
    }),
  ),
})
export type CatalogueModel = z.infer<typeof catalogueModel>

/** GET /models?account=&search=&after= : what keys of these accounts can be allowed to call. */
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
  /** What this key can call, in order of id. */
  models: list(playgroundModel),
})
export type PlaygroundKey = z.infer<typeof playgroundKey>

/**
 * GET /playground/options?account=
 *
 * A request is sent to `/console/api/playground/{keyId}` followed by the gateway's own path, such as
 * `/console/api/playground/key_1/v1/chat/completions`: with the CSRF header, without any API key. It runs in the
 * gateway as that key would, from the browser's address, charged and logged as always; the answer, streams included,
 * comes through as it is, with its headers (`x-<brand>-request-id`, `x-<brand>-cost`). What a stream has cost is
 * told by GET /usage/{requestId} afterwards. Also `GET …/v1/models`.
 */
export const playgroundOptions = z.strictObject({
  keys: list(playgroundKey),
})
export type PlaygroundOptions = z.infer<typeof playgroundOptions>
