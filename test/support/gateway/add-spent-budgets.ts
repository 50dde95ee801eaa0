import { addAccount } from '../../../src/accounts/account-store.ts'
import { putMember } from '../../../src/accounts/member-store.ts'
import { systemRandom } from '../../../src/core/id.ts'
import { createKey } from '../../../src/keys/key-store.ts'
import { grantCredit } from '../../../src/ledger/credits.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { Engine } from '../../../src/store/engine.ts'
import { testVault } from './test-database.ts'

const dollar = 1_000_000_000n
const zone = 'Asia/Kathmandu'

/** The owner of the exhausted budget, and the code of its refusals. */
export const spentBudgets = [
  {
    owner: 'key',
    code: 'key_quota_exhausted',
    words: 'daily budget of $0.000001 for this API key',
    remedy: 'raise the budget of the key in the console',
  },
  {
    owner: 'member',
    code: 'member_budget_exhausted',
    words: 'weekly budget of $0.000001 for the owner of this API key',
    remedy: 'ask an owner of the account for a higher budget',
  },
  {
    owner: 'account',
    code: 'account_budget_exhausted',
    words: 'monthly budget of $0.000001 for this account',
    remedy: 'ask the operator of the gateway for a higher budget',
  },
] as const

type SpentOwner = (typeof spentBudgets)[number]['owner']

/** Adds an account with credit and, for each owner, a key whose requests its budget refuses; returns their values. */
export async function addSpentBudgets(engine: Engine): Promise<Record<SpentOwner, string>> {
  const nowMs = Date.now()
  const tools = { vault: testVault, random: systemRandom, nowMs: () => nowMs }
  const limit = 1_000n
  return write(engine, nowMs, async (writing) => {
    const credit = async (accountId: string): Promise<void> => {
      const names = { id: `credit-${accountId}`, accountId, source: 's', externalId: accountId }
      await grantCredit(writing, { ...names, reason: '', at: nowMs, amountNano: 10n * dollar })
    }
    await addAccount(writing, nowMs, { id: 'spent', name: 'Spent' })
    await addAccount(writing, nowMs, {
      id: 'spent-month',
      name: 'Spent',
      monthlyNano: limit,
      budgetZone: zone,
    })
    await credit('spent')
    await credit('spent-month')
    await writing.tx
      .insertInto('console_user')
      .values({ id: 'u_spent', email: 'spent@example.com', role: 'member', created_at: nowMs })
      .execute()
    const week = { weeklyNano: limit, budgetZone: zone }
    await putMember(writing, { userId: 'u_spent', accountId: 'spent', ...week })
    const key = async (settings: Parameters<typeof createKey>[2]) =>
      (await createKey(writing, tools, settings)).value
    return {
      key: await key({ accountId: 'spent', name: 'key', dailyNano: limit, budgetZone: zone }),
      member: await key({ accountId: 'spent', name: 'member', ownerId: 'u_spent' }),
      account: await key({ accountId: 'spent-month', name: 'account' }),
    }
  })
}
