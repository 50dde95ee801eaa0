import { periodFields, totalField } from '../../fields/budget-fields.ts'
import {
  define,
  type EditOf,
  optional,
  partFor,
  required,
  type ValuesOf,
} from '../../fields/definition.ts'
import { enumKind, orNull } from '../../fields/kind.ts'
import { idKind, instantKind, moneyKind, nameKind } from '../../fields/kinds.ts'
import { keptLimitFields, limitKind } from '../../fields/limit-fields.ts'

export const accountStates = ['active', 'suspended'] as const
export type AccountStatus = (typeof accountStates)[number]

/** The limits that a new member starts with, in the calendar of the account's budgets. */
function newMemberFields() {
  const options = { by: 'operator', absent: 'keep' } as const
  const about = (what: string) =>
    `${what} of a member who joins without own limits; none by default.`
  return {
    newMemberDailyNano: optional(orNull(moneyKind), null, {
      file: 'newMemberDaily',
      about: about('Daily spending limit'),
      ...options,
    }),
    newMemberWeeklyNano: optional(orNull(moneyKind), null, {
      file: 'newMemberWeekly',
      about: about('Weekly spending limit'),
      ...options,
    }),
    newMemberMonthlyNano: optional(orNull(moneyKind), null, {
      file: 'newMemberMonthly',
      about: about('Monthly spending limit'),
      ...options,
    }),
    newMemberRequestsPerMinute: optional(limitKind, null, {
      about: about('Requests per minute'),
      ...options,
    }),
    newMemberTokensPerMinute: optional(limitKind, null, {
      about: about('Tokens per minute'),
      ...options,
    }),
    newMemberConcurrentRequests: optional(limitKind, null, {
      about: about('Concurrent requests'),
      ...options,
    }),
  }
}

/** The names of these fields. */
export const newMemberNames = [
  'newMemberDailyNano',
  'newMemberWeeklyNano',
  'newMemberMonthlyNano',
  'newMemberRequestsPerMinute',
  'newMemberTokensPerMinute',
  'newMemberConcurrentRequests',
] as const

/** The settings of an account that a person chooses. */
export const accountDefinition = define('account', {
  id: required(idKind, {
    about: 'The id in files, commands and URLs.',
    by: 'operator',
    isFixed: true,
  }),
  name: required(nameKind, { about: 'The display name.', by: 'owner' }),
  // Applying a file again that does not mention the status must not reactivate an account that an operator suspended.
  status: optional(enumKind(accountStates), 'active', {
    about: 'Keys of a suspended account are rejected.',
    by: 'operator',
    absent: 'keep',
  }),
  endsAt: optional(orNull(instantKind), null, {
    file: 'ends',
    about: 'When its keys stop working; never by default.',
    by: 'operator',
    absent: 'keep',
  }),
  ...totalField({ by: 'operator', absent: 'keep' }),
  ...periodFields({ by: 'operator', absent: 'keep' }),
  ...keptLimitFields('operator'),
  ...newMemberFields(),
})

/** The settings that an owner of the account may change. */
export const ownAccountDefinition = partFor(accountDefinition, 'owner')

/** A new account may be created with an initial credit. */
export const newAccountDefinition = define('account', {
  ...accountDefinition.fields,
  creditNano: optional(orNull(moneyKind), null, {
    file: 'credit',
    about: 'Initial credit.',
    by: 'operator',
    isFixed: true,
  }),
})

export type AccountSettings = ValuesOf<typeof accountDefinition>
export type AccountPatch = EditOf<typeof accountDefinition>
