import { define, maybe, optional, required, type ValuesOf } from '../../fields/definition.ts'
import { orNull } from '../../fields/kind.ts'
import { countKind, idKind, instantKind, nameKind } from '../../fields/kinds.ts'
import { plannedPricesKind, priceKind } from './price.ts'

const by = 'operator'

/** The settings of a model that an operator chooses. */
export const modelDefinition = define('model', {
  id: required(idKind, { about: 'What callers name it by.', by, isFixed: true }),
  displayName: required(nameKind, { about: 'What people call it.', by, sameAs: 'id' }),
  ownedBy: optional(nameKind, 'tollgate', { about: 'Who makes it.', by }),
  contextTokens: optional(orNull(countKind(1)), null, {
    about: 'The most tokens of prompt and answer together; null: not known.',
    by,
  }),
  maxOutputTokens: optional(countKind(1), 16_384, { about: 'The most tokens of an answer.', by }),
})

/** A new model with its first price. */
export const newModelDefinition = define('new model', {
  ...modelDefinition.fields,
  price: optional(orNull(priceKind), null, {
    about: 'What it costs; null: it has no price, and cannot be called until it has.',
    by,
  }),
})

/** The settings of a model in the config file. */
export const provisionedModelDefinition = define('provisioned model', {
  ...newModelDefinition.fields,
  plannedPrices: maybe(plannedPricesKind, {
    about: 'What it costs later; absent: what is planned stays as it is.',
    by,
  }),
})

/** The next version of a price: prices are never edited. */
export const newPriceDefinition = define('new price', {
  price: required(priceKind, { about: 'What the model costs.', by }),
  validFrom: optional(orNull(instantKind), null, {
    about: 'When it begins; null: now. Never before a version that is planned.',
    by,
  }),
})

export type ModelValues = ValuesOf<typeof modelDefinition>
export type PlannedPrice = NonNullable<
  ValuesOf<typeof provisionedModelDefinition>['plannedPrices']
>[number]
