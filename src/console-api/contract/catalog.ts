import { z } from 'zod'
import { grantFields, groupDefinition } from '../../catalog/definition/group.ts'
import {
  modelDefinition,
  type newModelDefinition,
  type newPriceDefinition,
} from '../../catalog/definition/model.ts'
import {
  type EditWireOf,
  type NewWireOf,
  shownShape,
  type WireOf,
  without,
} from '../../fields/definition.ts'
import { limitNames } from '../../fields/limit-fields.ts'
import { priceTable } from './models.ts'
import { list, page, timeMs } from './shapes.ts'
import { routeRow } from './upstreams.ts'

export type ModelSettings = Omit<WireOf<typeof modelDefinition>, 'id'>

export const modelRow = z.strictObject({
  ...shownShape(modelDefinition.fields),
  /** The price in force; null if there is none, and the model cannot be called. */
  price: priceTable.nullable(),
  versionCount: z.number(),
  routeCount: z.number(),
  groups: list(z.string()),
  createdAt: timeMs,
})
export type ModelRow = z.infer<typeof modelRow>

/** GET /operate/models?search=&lacks=price|route&after= */
export const modelsAnswer = z.strictObject({
  ...page.shape,
  models: list(modelRow),
})
export type ModelsAnswer = z.infer<typeof modelsAnswer>

/** Prices are never edited: a change adds a version. */
export const priceVersion = z.strictObject({
  id: z.string(),
  validFrom: timeMs,
  state: z.enum(['past', 'in-force', 'planned']),
  price: priceTable,
})
export type PriceVersion = z.infer<typeof priceVersion>

/** GET /operate/models/{id} */
export const modelDetail = z.strictObject({
  ...modelRow.shape,
  /** Newest first. */
  versions: list(priceVersion),
  routes: list(routeRow),
})
export type ModelDetail = z.infer<typeof modelDetail>

/** POST /operate/models → ModelDetail */
export type CreateModelRequest = NewWireOf<typeof newModelDefinition>

/** PATCH /operate/models/{id} → ModelDetail. DELETE → DoneAnswer; `in_use` if it has routes or ever had a price. */
export type ModelEdit = EditWireOf<typeof modelDefinition>

/** POST /operate/models/{id}/prices → ModelDetail */
export type AddPriceRequest = NewWireOf<typeof newPriceDefinition>

/** GET /operate/model-gaps */
export const modelGaps = z.strictObject({
  /** Models with a route and no price. */
  unpriced: list(z.string()),
  /** Models without a usable route. */
  unrouted: list(z.string()),
  /** Models that were requested recently and not found, the most requested first, at most twenty. */
  missed: list(
    z.strictObject({
      model: z.string(),
      requests: z.number(),
      lastAt: timeMs,
    }),
  ),
})
export type ModelGaps = z.infer<typeof modelGaps>

export const startModel = z.strictObject({
  ...shownShape(without(modelDefinition, limitNames).fields),
  price: priceTable,
  /** Whether the catalogue already has the model. */
  isKnown: z.boolean(),
})
export type StartModel = z.infer<typeof startModel>

/** GET /operate/vendors/{name}/models : the vendor's known models with public prices. */
export const startModelsAnswer = z.strictObject({
  models: list(startModel),
  /** True if the upstream at `?baseUrl=` runs on the user's own machine, where models are free. */
  isLocal: z.boolean(),
})
export type StartModelsAnswer = z.infer<typeof startModelsAnswer>

export const groupGrant = z.strictObject({
  ...shownShape(grantFields),
  accountName: z.string().nullable(),
})
export type GroupGrant = z.infer<typeof groupGrant>

export const groupRow = z.strictObject({
  ...shownShape(groupDefinition.fields),
  /** With account names. Null: every account may use the group. */
  grants: list(groupGrant).nullable(),
  modelCount: z.number(),
  createdAt: timeMs,
})
export type GroupRow = z.infer<typeof groupRow>

/** GET /operate/groups?after= ; GET /operate/groups/{id} → GroupRow */
export const groupsAnswer = z.strictObject({
  ...page.shape,
  groups: list(groupRow),
})
export type GroupsAnswer = z.infer<typeof groupsAnswer>

export type GroupSettings = Omit<WireOf<typeof groupDefinition>, 'id'>

/** POST /operate/groups → GroupRow */
export type CreateGroupRequest = NewWireOf<typeof groupDefinition>

/** PATCH /operate/groups/{id} → GroupRow. DELETE → DoneAnswer; `in_use` if a key or a route uses it. */
export type GroupEdit = EditWireOf<typeof groupDefinition>
