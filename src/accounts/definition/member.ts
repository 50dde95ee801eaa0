import { define, partOf, required } from '../../fields/definition.ts'
import { wordKind } from '../../fields/kind.ts'
import { emailKind } from '../../fields/kinds.ts'

/** The roles of a member, least rights first. */
export const accountRoles = ['viewer', 'member', 'owner'] as const
export type AccountRole = (typeof accountRoles)[number]

export const accountRoleKind = wordKind(accountRoles)

/** A member of an account. */
export const memberDefinition = define('member', {
  email: required(emailKind, { about: 'Whom to let in.', by: 'owner', isFixed: true }),
  role: required(accountRoleKind, { about: 'What they may do in the account.', by: 'owner' }),
})

export const memberRoleDefinition = partOf(memberDefinition, ['role'])
