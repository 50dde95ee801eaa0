import type { FeatureName } from '../../core/feature.ts'
import type { ProtocolName } from '../../core/protocol-name.ts'
import type { NanoText, Page } from './basics.ts'

/**
 * What features cost: nano-US-dollars for each call or for a million tokens of the kind, or a factor in millionths. Null
 * says that there is no price, and one that is not there has none either.
 */
export type FeatureTable = { readonly [feature in FeatureName]?: NanoText | null }

/** Nano-US-dollars per million tokens, and per request. */
export interface PriceTable extends TokenPrices {
  /** In a new price: undefined leaves what is known of the model. */
  readonly features?: FeatureTable
  /** The shortest prompts first. In a new price: undefined keeps the steps of the version before, in proportion. */
  readonly longPrompts?: readonly LongPromptPrice[]
}

/** The price of all tokens of a request whose prompt has more than `aboveTokens`. */
export interface LongPromptPrice extends Omit<TokenPrices, 'requestNano'> {
  readonly aboveTokens: number
}

export interface TokenPrices {
  readonly inputNano: NanoText
  readonly cacheReadNano: NanoText
  readonly cacheWrite5mNano: NanoText
  readonly cacheWrite1hNano: NanoText
  readonly outputNano: NanoText
  readonly requestNano: NanoText
}

export type ModelCapability = 'reasoning' | 'sampling' | 'structured-output' | 'tools' | 'streaming'

export interface CatalogueModel {
  /** Exactly what goes into `model`. */
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly contextTokens: number | null
  readonly maxOutputTokens: number
  readonly capabilities: readonly ModelCapability[]
  /** All four reach every model; native ones without being translated. */
  readonly endpoints: readonly { readonly protocol: ProtocolName; readonly isNative: boolean }[]
  /** With the group's factor applied; null when the model has no price and cannot be called. */
  readonly prices: readonly {
    readonly group: string
    readonly factor: string
    readonly price: PriceTable | null
  }[]
}

/** GET /models?account=&search=&after= : what keys of these accounts can be allowed to call. */
export interface CatalogueAnswer extends Page {
  readonly models: readonly CatalogueModel[]
}

/**
 * GET /playground/options?account=
 *
 * A request is sent to `/console/api/playground/{keyId}` followed by the gateway's own path, such as
 * `/console/api/playground/key_1/v1/chat/completions`: with the CSRF header, without any API key. It runs in the
 * gateway as that key would, from the browser's address, charged and logged as always; the answer, streams included,
 * comes through as it is, with its headers (`x-<brand>-request-id`, `x-<brand>-cost`). What a stream has cost is
 * told by GET /usage/{requestId} afterwards. Also `GET …/v1/models`.
 */
export interface PlaygroundOptions {
  readonly keys: readonly PlaygroundKey[]
}

export interface PlaygroundKey {
  readonly id: string
  readonly name: string
  readonly accountId: string
  /** What this key can call, in order of id. */
  readonly models: readonly PlaygroundModel[]
}

export interface PlaygroundModel {
  readonly id: string
  readonly displayName: string
  readonly capabilities: readonly ModelCapability[]
}
