import { define, partOf, required } from '../../fields/definition.ts'
import { wordKind } from '../../fields/kind.ts'
import { emailKind } from '../../fields/kinds.ts'

/** The roles of a member, least rights first. */
export const accountRoles = ['viewer', 'member', 'owner'] as const
export type AccountRole = (typeof accountRoles)[number]

export const accountRoleKind = wordKind(accountRoles)

/** A member of an account. */
export const memberDefinition = define('member', {
  email: required(emailKind, {
    about: 'The email address of the member.',
    by: 'owner',
    isFixed: true,
  }),
  role: required(accountRoleKind, { about: 'The role of the member in the account.', by: 'owner' }),
})

export const memberRoleDefinition = partOf(memberDefinition, ['role'])
