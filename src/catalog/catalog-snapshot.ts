import type { OwnedLimits } from '../core/limits/rate-limit.ts'
import type { Price } from '../core/money/price.ts'
import type { ConnectionOptions } from '../core/network/connection-options.ts'
import type { ParameterPolicy } from '../core/upstreams/parameter-policy.ts'
import type { Priority } from '../core/upstreams/priority.ts'
import type { UpstreamTimeouts } from '../core/upstreams/upstream-timeouts.ts'

export interface Group {
  readonly id: string
  readonly factorMicro: bigint
  /** A field that an upstream does not accept is refused with 400 instead of dropped with a warning. */
  readonly isStrict: boolean
  /** The accounts that may use the group, each with the end of its grant, if any; undefined allows every account. */
  readonly grants: ReadonlyMap<string, number | undefined> | undefined
  /** A feature without a price is charged at its token price instead of refused. */
  readonly allowsUnpriced?: boolean
  /** Requests may name objects of the upstream's account, which all clients share. */
  readonly allowsSharedObjects?: boolean
  /** The fallback models of each model, in order, for when no route of the model is healthy. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>
  /** The class of waiting requests, unless the key has one; undefined means normal. */
  readonly priority?: Priority
  /** The rate limits of all requests with this group. */
  readonly limits?: OwnedLimits | undefined
}

export interface Model {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
  readonly createdAtMs: number
  /** The rate limits of all requests for this model. */
  readonly limits?: OwnedLimits | undefined
  /** Oldest first; the last version that has begun is in force. */
  readonly prices: readonly (Price & { readonly validFromMs: number })[]
}

export interface Credential {
  readonly id: string
  readonly name: string
  readonly value: string
  /** The part of the value that people may see, such as `sk-…9f2c`. */
  readonly hint: string
  /** The limits of the attempts with this credential, so that the provider does not have to refuse them. */
  readonly limits?: OwnedLimits | undefined
}

export interface Probe {
  readonly everyMs: number
  /** The model that a probe asks for one token; undefined means that the probe requests the list of models. */
  readonly model: string | undefined
}

export interface Upstream {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /**
   * The credentials that were entered for the host of the base URL. An empty list means that the upstream needs none.
   */
  readonly credentials: readonly Credential[]
  /**
   * The upstream has moved to another host, or behind a proxy that could read its credentials, so the old credentials
   * are not sent.
   */
  readonly needsCredential: boolean
  readonly timeouts: UpstreamTimeouts
  /** The limit of concurrent requests from one process. */
  readonly concurrencyMax: number | undefined
  readonly connection: ConnectionOptions
  /**
   * Whether the vendor bills an answer to its end after the connection is closed; undefined means the vendor's default.
   */
  readonly billsOnAbort?: boolean | undefined
  readonly probe: Probe | undefined
  readonly isEnabled: boolean
}

export interface Route {
  readonly groupId: string
  readonly modelId: string
  readonly upstream: Upstream
  readonly upstreamModel: string
  /** Lower values are tried first. */
  readonly priority: number
  readonly weight: number
  readonly parameters: ParameterPolicy | undefined
}

/** All facts about the catalogue that the request path needs. Immutable: a change makes a new snapshot. */
export interface CatalogSnapshot {
  readonly groups: ReadonlyMap<string, Group>
  readonly models: ReadonlyMap<string, Model>
  readonly upstreams: ReadonlyMap<string, Upstream>
  /** Routes by group, then by model. */
  readonly routes: ReadonlyMap<string, ReadonlyMap<string, readonly Route[]>>
}

export function priceAt(model: Model, nowMs: number): Price | undefined {
  for (let index = model.prices.length - 1; index >= 0; index -= 1) {
    const price = model.prices[index]
    if (price && price.validFromMs <= nowMs) return price
  }
  return undefined
}
