import type { Price } from '../core/price.ts'

export interface Group {
  readonly id: string
  readonly factorMicro: bigint
  /** A field that an upstream cannot take is refused with a 400 instead of dropped with a warning. */
  readonly isStrict: boolean
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

export interface Upstream {
  readonly id: string
  readonly vendor: string
  readonly protocol: string
  readonly baseUrl: string
  readonly credential: string | undefined
}

export interface Route {
  readonly groupId: string
  readonly modelId: string
  readonly upstream: Upstream
  readonly upstreamModel: string
  /** Lower is tried first. */
  readonly priority: number
  readonly weight: number
}

/** Everything the request path must know about what can be called, immutable; a change makes a new one. */
export interface CatalogSnapshot {
  readonly groups: ReadonlyMap<string, Group>
  readonly models: ReadonlyMap<string, Model>
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
