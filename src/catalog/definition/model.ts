import {
  define,
  type GivenOf,
  maybe,
  optional,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { orNull } from '../../fields/kind.ts'
import { countKind, idKind, instantKind, nameKind } from '../../fields/kinds.ts'
import { keptLimitFields } from '../../fields/limit-fields.ts'
import { plannedPricesKind, priceKind } from './price.ts'

const by = 'operator'

/** The settings of a model that an operator chooses. */
export const modelDefinition = define('model', {
  id: required(idKind, { about: 'The id that clients send as the model.', by, isFixed: true }),
  displayName: required(nameKind, { about: 'The display name.', by, sameAs: 'id' }),
  ownedBy: optional(nameKind, 'tollgate', {
    about: 'The owner of the model, as shown to clients.',
    by,
  }),
  contextTokens: optional(orNull(countKind(1)), null, {
    about: 'Context window: maximum tokens of prompt and response together; null: unknown.',
    by,
  }),
  maxOutputTokens: optional(countKind(1), 16_384, { about: 'Maximum tokens of a response.', by }),
  ...keptLimitFields(by),
})

/** A new model with its first price. */
export const newModelDefinition = define('new model', {
  ...modelDefinition.fields,
  price: optional(orNull(priceKind), null, {
    about: 'The price; null: none, and the model cannot be called until it has one.',
    by,
  }),
})

/** The settings of a model in the config file. */
export const provisionedModelDefinition = define('provisioned model', {
  ...newModelDefinition.fields,
  plannedPrices: maybe(plannedPricesKind, {
    about: 'Future prices; absent: planned prices stay unchanged.',
    by,
  }),
})

/** The next version of a price: prices are never edited. */
export const newPriceDefinition = define('new price', {
  price: required(priceKind, { about: 'The price of the model.', by }),
  validFrom: optional(orNull(instantKind), null, {
    about: 'When the price takes effect; null: now. Must not be earlier than a planned version.',
    by,
  }),
})

/** The settings of a new model, required and optional. */
export type GivenModel = GivenOf<typeof modelDefinition>
export type ModelValues = ValuesOf<typeof modelDefinition>
export type PlannedPrice = NonNullable<
  ValuesOf<typeof provisionedModelDefinition>['plannedPrices']
>[number]
