import { adminScopes } from '../../core/access/admin-scope.ts'
import { define, optional, required, type ValuesOf } from '../../fields/definition.ts'
import { enumKind, listOf, orNull } from '../../fields/kind.ts'
import { addressesKind, idKind, instantKind, nameKind } from '../../fields/kinds.ts'

const scopesKind = listOf(enumKind(adminScopes), {
  min: 1,
  max: adminScopes.length,
  none: 'scopes_wrong',
  many: 'scopes_wrong',
})

const fixed = { by: 'owner', isFixed: true } as const

/**
 * The settings of a token that a person chooses. They never change: to change a token, revoke it and create another
 * one.
 */
export const tokenDefinition = define('token', {
  name: required(nameKind, { about: 'What the token is for.', ...fixed }),
  scopes: required(scopesKind, {
    about: `What the token may do: ${adminScopes.join(', ')}.`,
    option: 'scope',
    ...fixed,
  }),
  accountId: optional(orNull(idKind), null, {
    about: 'The account that the token is for; the whole gateway by default.',
    file: 'account',
    ...fixed,
  }),
  expiresAt: optional(orNull(instantKind), null, {
    about: 'When the token expires; never by default.',
    file: 'expires',
    ...fixed,
  }),
  addresses: optional(orNull(addressesKind), null, {
    about: 'Address or network from which the token may be used; any by default.',
    option: 'address',
    ...fixed,
  }),
})

export type TokenSettings = ValuesOf<typeof tokenDefinition>
