import { periodFields, totalField } from '../../fields/budget-fields.ts'
import { define, type EditOf, maybeAll, required, type ValuesIn } from '../../fields/definition.ts'
import { enumKind } from '../../fields/kind.ts'
import { emailKind } from '../../fields/kinds.ts'
import { keptLimitFields } from '../../fields/limit-fields.ts'

/** The roles of a member, least rights first. */
export const accountRoles = ['viewer', 'member', 'owner'] as const
export type AccountRole = (typeof accountRoles)[number]

export const accountRoleKind = enumKind(accountRoles)

/** The source of a membership or of a user: people and the file, or the identity provider. */
export const memberSources = ['manual', 'open-id'] as const
export type MemberSource = (typeof memberSources)[number]

export const memberSourceKind = enumKind(memberSources)

/** The limits on the spending and use of all keys of a member together. */
const limits = {
  ...totalField({ by: 'owner', absent: 'keep' }),
  ...periodFields({ by: 'owner', absent: 'keep' }),
  ...keptLimitFields('owner'),
}

/** The limits of a membership whose absence leaves the stored ones unchanged. */
export const givenLimits = maybeAll(limits)
export type GivenLimits = ValuesIn<typeof givenLimits>

const email = required(emailKind, {
  about: 'The email address of the member.',
  by: 'owner',
  isFixed: true,
})
const role = required(accountRoleKind, {
  about: 'The role of the member in the account.',
  by: 'owner',
})

/** A member of an account. */
export const memberDefinition = define('member', { email, role, ...limits })

/** A repeated invitation without limits leaves the limits of the member unchanged. */
export const newMemberDefinition = define('member', { email, role, ...givenLimits })

/** The limits on the command line. */
export const memberLimitsDefinition = define('member', givenLimits)

export type MemberSettings = Omit<Required<EditOf<typeof memberDefinition>>, 'email'>
