import { type AccountRole, accountRoles } from './member.ts'

/** The rules for creating users at a sign-in with the identity provider. */
export const openIdCreateModes = ['off', 'domains', 'groups'] as const
export type OpenIdCreate = (typeof openIdCreateModes)[number]

/** The members of a group at the identity provider are members of an account. */
export interface GroupMapping {
  readonly group: string
  readonly account: string
  readonly role: AccountRole
}

export interface OpenIdRules {
  readonly create: OpenIdCreate
  /** In normal form; see `normalDomain`. Empty: any domain. */
  readonly domains: readonly string[]
  /** Empty: memberships do not follow groups. */
  readonly groups: readonly GroupMapping[]
}

/** The accounts that these groups lead to. Of several roles in one account the highest applies. */
export function rolesOfGroups(
  mappings: readonly GroupMapping[],
  groups: ReadonlySet<string>,
): ReadonlyMap<string, AccountRole> {
  const roles = new Map<string, AccountRole>()
  for (const { group, account, role } of mappings) {
    if (!groups.has(group)) continue
    const known = roles.get(account)
    if (known === undefined || accountRoles.indexOf(role) > accountRoles.indexOf(known))
      roles.set(account, role)
  }
  return roles
}

/** Why a person without a user does not get one; undefined: the person gets one. */
export function whyNotCreated(
  { create, domains }: OpenIdRules,
  person: { readonly domain: string | undefined; readonly hasGroup: boolean },
): 'open-id-unknown' | 'open-id-domain' | 'open-id-group' | undefined {
  if (create === 'off') return 'open-id-unknown'
  const isOfDomain = person.domain !== undefined && domains.includes(person.domain)
  if (!isOfDomain && (create === 'domains' || domains.length > 0)) return 'open-id-domain'
  return create === 'groups' && !person.hasGroup ? 'open-id-group' : undefined
}
