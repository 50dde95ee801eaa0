import { memberDefinition } from '../../../accounts/definition/member.ts'
import type { Member } from '../../../accounts/member-store.ts'
import { toWire } from '../../../fields/definition.ts'
import { presentSource } from '../../access/groups-decide.ts'
import type { AccountMember } from '../../contract.ts'
import type { ConsoleDeps } from '../../ports/console-parts.ts'
import { describeBudgets } from '../describe-budgets.ts'

/** The limits as shown to a caller who may not see them: as if there were none. */
const hiddenLimits: Member['limits'] = {
  totalNano: null,
  dailyNano: null,
  weeklyNano: null,
  monthlyNano: null,
  budgetZone: 'UTC',
  budgetMonthDay: 1,
  budgetAlertPercent: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrentRequests: null,
}

/**
 * The members of an account. `seesBudgets` tells whose limits and spending the caller may see; absent: those of all
 * members.
 */
export async function describeMembers(
  deps: Pick<ConsoleDeps, 'engine' | 'openId'>,
  accountId: string,
  members: readonly Member[],
  seesBudgets: (userId: string) => boolean = () => true,
): Promise<AccountMember[]> {
  const owners = members.map(({ userId, limits }) => ({
    owner: { kind: 'member', accountId, id: userId } as const,
    settings: limits,
  }))
  const budgets = await describeBudgets(deps.engine, owners)
  return members.map(({ email, role, limits, ...member }, at) => ({
    ...toWire(memberDefinition, {
      email,
      role,
      ...(seesBudgets(member.userId) ? limits : hiddenLimits),
    }),
    userId: member.userId,
    source: presentSource(deps, member.source),
    isProven: member.isProven,
    isAdmin: member.isAdmin,
    isSuspended: member.isSuspended,
    hasSignedIn: member.seenAtMs !== undefined,
    invitationEndsAt: member.invitationEndsAtMs,
    budgets: seesBudgets(member.userId) ? (budgets[at] ?? []) : [],
  }))
}
