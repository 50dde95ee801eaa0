import type { groupDefinition } from '../../catalog/definition/group.ts'
import type {
  modelDefinition,
  newModelDefinition,
  newPriceDefinition,
} from '../../catalog/definition/model.ts'
import type { EditWireOf, NewWireOf, WireOf } from '../../fields/definition.ts'
import type { NanoText, Page, TimeMs } from './basics.ts'
import type { PriceTable, TokenPrices } from './models.ts'
import type { RouteRow } from './upstreams.ts'

export type ModelSettings = Omit<WireOf<typeof modelDefinition>, 'id'>

export interface ModelRow extends ModelSettings {
  readonly id: string
  /** The price in force; null when there is none, and the model cannot be called. */
  readonly price: PriceTable | null
  readonly versionCount: number
  readonly routeCount: number
  readonly groups: readonly string[]
  readonly createdAt: TimeMs
}

/** GET /operate/models?search=&lacks=price|route&after= */
export interface ModelsAnswer extends Page {
  readonly models: readonly ModelRow[]
}

/** A price is never edited: a change is a new version. */
export interface PriceVersion {
  readonly id: string
  readonly validFrom: TimeMs
  readonly state: 'past' | 'in-force' | 'planned'
  readonly price: PriceTable
}

/** GET /operate/models/{id} */
export interface ModelDetail extends ModelRow {
  /** Newest first. */
  readonly versions: readonly PriceVersion[]
  readonly routes: readonly RouteRow[]
}

/** POST /operate/models → ModelDetail */
export type CreateModelRequest = NewWireOf<typeof newModelDefinition>

/** PATCH /operate/models/{id} → ModelDetail. DELETE → DoneAnswer; `in_use` when it has routes or ever had a price. */
export type ModelEdit = EditWireOf<typeof modelDefinition>

/** POST /operate/models/{id}/prices → ModelDetail */
export type AddPriceRequest = NewWireOf<typeof newPriceDefinition>

/** GET /operate/models/gaps */
export interface ModelGaps {
  /** Routed, but without a price. */
  readonly unpriced: readonly string[]
  /** In the catalogue, but no route leads anywhere. */
  readonly unrouted: readonly string[]
  /** Asked for lately and not found, the most wanted first, twenty at most. */
  readonly missed: readonly {
    readonly model: string
    readonly requests: number
    readonly lastAt: TimeMs
  }[]
}

/** GET /operate/vendors/{name}/models : what the vendor is known to offer, with its public prices. */
export interface StartModelsAnswer {
  readonly models: readonly StartModel[]
  /** With `?baseUrl=` of an upstream: its models run on one's own machine and cost nothing. */
  readonly isLocal: boolean
}

export interface StartModel extends ModelSettings {
  readonly id: string
  readonly price: PriceTable
  /** Whether the catalogue has it already. */
  readonly isKnown: boolean
}

export interface GroupGrant {
  readonly accountId: string
  readonly accountName: string | null
  readonly until: TimeMs | null
}

export interface GroupRow {
  readonly id: string
  /** Prices are multiplied with it, in decimal: `1.5`. */
  readonly factor: string
  /** What happens to a field that an upstream cannot take. */
  readonly unsupported: 'drop' | 'reject'
  /** What happens to a feature that has no price. */
  readonly unpricedFeatures: 'refuse' | 'token_price'
  /** What happens to a request that names an object of the upstream's account. */
  readonly sharedObjects: 'refuse' | 'allow'
  /** Null: every account may use it. */
  readonly grants: readonly GroupGrant[] | null
  /** By model: those that stand in for it, in order, when no route of it is healthy. */
  readonly fallbacks: { readonly [model: string]: readonly string[] }
  readonly modelCount: number
  readonly createdAt: TimeMs
}

/** GET /operate/groups?after= ; GET /operate/groups/{id} → GroupRow */
export interface GroupsAnswer extends Page {
  readonly groups: readonly GroupRow[]
}

export type GroupSettings = Omit<WireOf<typeof groupDefinition>, 'id'>

/** POST /operate/groups → GroupRow */
export type CreateGroupRequest = NewWireOf<typeof groupDefinition>

/** PATCH /operate/groups/{id} → GroupRow. DELETE → DoneAnswer; `in_use` while a key names it or a route leads from it. */
export type GroupEdit = EditWireOf<typeof groupDefinition>

/** What a price table of nothing looks like. */
export const freePrice: TokenPrices = {
  inputNano: '0' satisfies NanoText,
  cacheReadNano: '0',
  cacheWrite5mNano: '0',
  cacheWrite1hNano: '0',
  outputNano: '0',
  requestNano: '0',
}
