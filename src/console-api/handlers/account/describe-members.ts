import { memberDefinition } from '../../../accounts/definition/member.ts'
import type { Member } from '../../../accounts/member-store.ts'
import { toWire } from '../../../fields/definition.ts'
import type { Engine } from '../../../store/engine.ts'
import type { AccountMember } from '../../contract.ts'
import { describeBudgets } from '../describe-budgets.ts'

/** The members of an account. `seesSpending` tells of whom the caller may see what they have spent; absent: of all. */
export async function describeMembers(
  { engine, nowMs }: { readonly engine: Engine; readonly nowMs: number },
  accountId: string,
  members: readonly Member[],
  seesSpending: (userId: string) => boolean = () => true,
): Promise<AccountMember[]> {
  const owners = members.map(({ userId, limits }) => ({
    owner: { kind: 'member', accountId, id: userId } as const,
    settings: limits,
  }))
  const budgets = await describeBudgets(engine, owners, nowMs)
  return members.map(({ email, role, limits, ...member }, at) => ({
    ...toWire(memberDefinition, { email, role, ...limits }),
    userId: member.userId,
    source: member.source,
    isProven: member.isProven,
    isAdmin: member.isAdmin,
    isSuspended: member.isSuspended,
    hasSignedIn: member.seenAtMs !== undefined,
    budgets: seesSpending(member.userId) ? (budgets[at] ?? []) : [],
  }))
}
