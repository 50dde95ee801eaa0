import { z } from 'zod'
import { featureNames } from '../../core/feature.ts'
import { protocolNames } from '../../core/protocol-name.ts'
import { list, nanoText, page } from './shapes.ts'

/**
 * What features cost: nano-US-dollars for each call or for a million tokens of the kind, or a factor in millionths. Null
 * says that there is no price, and one that is not there has none either.
 */
export const featureTable = z.partialRecord(z.enum(featureNames), nanoText.nullable())
export type FeatureTable = z.infer<typeof featureTable>

/** Nano-US-dollars per million tokens, and per request. */
export const tokenPrices = z.strictObject({
  inputNano: nanoText,
  cacheReadNano: nanoText,
  cacheWrite5mNano: nanoText,
  cacheWrite1hNano: nanoText,
  outputNano: nanoText,
  requestNano: nanoText,
})
export type TokenPrices = z.infer<typeof tokenPrices>

/** The price of all tokens of a request whose prompt has more than `aboveTokens`. */
export const longPromptPrice = z.strictObject({
  ...tokenPrices.omit({ requestNano: true }).shape,
  aboveTokens: z.number(),
})
export type LongPromptPrice = z.infer<typeof longPromptPrice>

/** All that a price says. */
export const priceTable = z.strictObject({
  ...tokenPrices.shape,
  /** In a new price: undefined leaves what is known of the model. */
  features: featureTable.exactOptional(),
  /** The shortest prompts first. In a new price: undefined keeps the steps of the version before, in proportion. */
  longPrompts: list(longPromptPrice).exactOptional(),
})
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
  /** Exactly what goes into `model`. */
  id: z.string(),
  displayName: z.string(),
  ownedBy: z.string(),
  contextTokens: z.number().nullable(),
  maxOutputTokens: z.number(),
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
      factor: z.string(),
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
  id: z.string(),
  displayName: z.string(),
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
