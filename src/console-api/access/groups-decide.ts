import type { MemberSource } from '../../accounts/definition/member.ts'
import type { ConsoleDeps } from '../ports/console-parts.ts'

type ProviderDeps = Pick<ConsoleDeps, 'openId'>

/**
 * Whether groups at the identity provider decide about memberships that came from groups. Without a provider or without
 * `openIdGroups` no sign-in changes these any more, so people decide.
 */
function doGroupsDecide({ openId }: ProviderDeps): boolean {
  return openId !== undefined && openId.rules.groups.length > 0
}

/** Who decides about a membership at present. */
export function presentSource(deps: ProviderDeps, stored: MemberSource): MemberSource {
  return doGroupsDecide(deps) ? stored : 'manual'
}
