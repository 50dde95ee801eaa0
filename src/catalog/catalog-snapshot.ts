import type { ConnectionOptions } from '../core/connection-options.ts'
import type { ParameterPolicy } from '../core/parameter-policy.ts'
import type { Price } from '../core/price.ts'
import type { UpstreamTimeouts } from '../core/upstream-timeouts.ts'

export interface Group {
  readonly id: string
  readonly factorMicro: bigint
  /** A field that an upstream cannot take is refused with a 400 instead of dropped with a warning. */
  readonly isStrict: boolean
  /** The accounts that may use it, each with the moment its grant ends, if it does; undefined: every account may. */
  readonly grants: ReadonlyMap<string, number | undefined> | undefined
  /** A feature without a price is charged at the price of its tokens instead of refused. */
  readonly allowsUnpriced?: boolean
  /** Requests may name objects of the upstream's account, which all callers share. */
  readonly allowsSharedObjects?: boolean
  /** The models that stand in for one, in order, when no route of it is healthy. */
  readonly fallbacks: ReadonlyMap<string, readonly string[]>
}

export interface Model {
  readonly id: string
  readonly displayName: string
  readonly ownedBy: string
  readonly contextTokens: number | undefined
  readonly maxOutputTokens: number
  readonly createdAtMs: number
  /** Oldest first; the last one whose time has come is in force. */
  readonly prices: readonly (Price & { readonly validFromMs: number })[]
}

export interface Credential {
  readonly id: string
  readonly name: string
  readonly value: string
  /** What people may see of it, such as `sk-…9f2c`. */
  readonly hint: string
}

export interface Probe {
  readonly everyMs: number
  /** Asked for one token; undefined: the list of models is asked for. */
  readonly model: string | undefined
}

export interface Upstream {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  /** Those that were entered for the host of its base URL; none means that it asks for none. */
  readonly credentials: readonly Credential[]
  /** It has moved to another host, or behind a proxy that could read them: its old credentials are not shown there. */
  readonly needsCredential: boolean
  readonly timeouts: UpstreamTimeouts
  /** At most so many requests at once from one process. */
  readonly concurrencyMax: number | undefined
  readonly connection: ConnectionOptions
  /** Whether an answer is billed to its end although its connection was closed; undefined: as the vendor does. */
  readonly billsOnAbort?: boolean | undefined
  readonly probe: Probe | undefined
  readonly isEnabled: boolean
}

export interface Route {
  readonly groupId: string
  readonly modelId: string
  readonly upstream: Upstream
  readonly upstreamModel: string
  /** Lower is tried first. */
  readonly priority: number
  readonly weight: number
  readonly parameters: ParameterPolicy | undefined
}

/** Everything the request path must know about what can be called, immutable; a change makes a new one. */
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
