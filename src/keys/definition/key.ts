import { priorities } from '../../core/upstreams/priority.ts'
import { periodFields } from '../../fields/budget-fields.ts'
import {
  define,
  type GivenOf,
  maybe,
  optional,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { enumKind, orNull } from '../../fields/kind.ts'
import {
  addressesKind,
  chosenSecretKind,
  flagKind,
  groupsKind,
  idKind,
  instantKind,
  modelsKind,
  moneyKind,
  nameKind,
  userKind,
} from '../../fields/kinds.ts'
import { limitFields } from '../../fields/limit-fields.ts'
import { objectKind, rowsOf } from '../../fields/object-kind.ts'
import { modelsMax } from '../../fields/problems.ts'

/** The group of a key that is created without groups. */
export const defaultGroup = 'default'

/** The limits of a key for one model, besides those for all its requests. */
const modelLimitFields = {
  model: required(idKind, { about: 'The model that the limits are for.', by: 'member' }),
  ...limitFields('member'),
}
const modelLimitsKind = rowsOf(objectKind(modelLimitFields), {
  max: modelsMax,
  wrong: 'model_limits_wrong',
  many: 'models_many',
  twice: 'model_limits_twice',
  key: 'model',
})

const owner = {
  kind: orNull(userKind),
  options: {
    file: 'owner',
    about:
      'User that the key belongs to, by email or id; without it, a service key of the account.',
    by: 'owner',
    isFixed: true,
  },
} as const

/** The settings of a key that a person chooses. Null means no restriction. */
export const keyDefinition = define('key', {
  accountId: required(idKind, {
    file: 'account',
    about: 'The account that pays.',
    by: 'member',
    isFixed: true,
  }),
  ownerId: optional(owner.kind, null, owner.options),
  name: required(nameKind, { about: 'What the key is for.', by: 'member' }),
  groups: optional(groupsKind, [defaultGroup], {
    option: 'group',
    about: 'Service group; several are tried in this order.',
    by: 'member',
  }),
  models: optional(orNull(modelsKind), null, {
    option: 'model',
    about: 'Model that the key may call; all by default.',
    by: 'member',
  }),
  quotaNano: optional(orNull(moneyKind), null, {
    file: 'quota',
    about: 'Spending limit; none by default.',
    by: 'member',
  }),
  ...periodFields({ by: 'member' }),
  expiresAt: optional(orNull(instantKind), null, {
    file: 'expires',
    about: 'When the key expires; never by default.',
    by: 'member',
  }),
  addresses: optional(orNull(addressesKind), null, {
    option: 'address',
    about: 'Address or network from which the key may be used; any by default.',
    by: 'member',
  }),
  ...limitFields('member'),
  modelLimits: optional(modelLimitsKind, [], {
    about: 'Rate limits of the key per model.',
    by: 'member',
  }),
  priority: optional(orNull(enumKind(priorities)), null, {
    about:
      'Which requests go first when an upstream is full; by default the priority of the group.',
    by: 'owner',
  }),
  isEnabled: optional(flagKind, true, {
    file: 'enabled',
    about: 'Whether the key works.',
    by: 'member',
  }),
  isLocked: optional(flagKind, false, {
    file: 'locked',
    about:
      'Whether only owners of the account can change the settings, and not the user of the key.',
    by: 'owner',
  }),
})

/** A new key may be created with a value that the operator supplies. */
export const newKeyDefinition = define('key', {
  ...keyDefinition.fields,
  // A person who creates a key without saying whose it is gets a key of their own.
  ownerId: maybe(owner.kind, owner.options),
  value: maybe(chosenSecretKind, {
    about: 'Use this existing value instead of a new one.',
    by: 'operator',
    isFixed: true,
    isSecret: true,
  }),
})

/** The settings of a new key, required and optional. */
export type NewKey = GivenOf<typeof keyDefinition>
export type KeyValues = ValuesOf<typeof keyDefinition>
export type ModelLimit = KeyValues['modelLimits'][number]
