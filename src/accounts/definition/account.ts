import {
  define,
  type EditOf,
  optional,
  partFor,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { orNull, wordKind } from '../../fields/kind.ts'
import { idKind, instantKind, moneyKind, nameKind } from '../../fields/kinds.ts'

export const accountStates = ['active', 'suspended'] as const
export type AccountStatus = (typeof accountStates)[number]

/** What a person decides about an account. */
export const accountDefinition = define('account', {
  id: required(idKind, {
    about: 'What files, commands and URLs call it.',
    by: 'operator',
    isFixed: true,
  }),
  name: required(nameKind, { about: 'What people call it.', by: 'owner' }),
  // What an operator has suspended stays suspended when a file is applied again that says nothing about it.
  status: optional(wordKind(accountStates), 'active', {
    about: 'Keys of a suspended account are refused.',
    by: 'operator',
    absent: 'keep',
  }),
  endsAt: optional(orNull(instantKind), null, {
    file: 'ends',
    about: 'When its keys stop working; null: never.',
    by: 'operator',
    absent: 'keep',
  }),
})

/** What an owner may change of it. */
export const ownAccountDefinition = partFor(accountDefinition, 'owner')

/** A new one may come with money. */
export const newAccountDefinition = define('account', {
  ...accountDefinition.fields,
  creditNano: optional(orNull(moneyKind), null, {
    file: 'credit',
    about: 'Credit to start with.',
    by: 'operator',
    isFixed: true,
  }),
})

export type AccountSettings = ValuesOf<typeof accountDefinition>
export type AccountPatch = EditOf<typeof accountDefinition>
