import { changeAccount } from '../../../src/accounts/account-store.ts'
import { newRequestId } from '../../../src/core/id.ts'
import { isDated } from '../../../src/core/limits/budget.ts'
import { readBudgetStates } from '../../../src/ledger/budgets/read-states.ts'
import type { LeaseLedger } from '../../../src/ledger/leases/lease-ledger.ts'
import type { Hold } from '../../../src/ledger/ledger.ts'
import { write } from '../../../src/store/changes/write.ts'
import type { EngineFixture } from '../../support/store/engine-fixture.ts'
import { usageRow } from '../../support/store/usage-row.ts'
import { holdOf } from '../ledger/ledger-helpers.ts'
import { BudgetWorld, eachNano, midnightMs, settle } from './budget-world.ts'

export const hourMs = 3_600_000
export const owners = ['key', 'member', 'account'] as const
type Owner = (typeof owners)[number]
/** The second zone begins its days 15 minutes past an hour of UTC. */
export const zones = ['UTC', 'Asia/Kathmandu'] as const
const aheadMs = { UTC: 0, 'Asia/Kathmandu': 5.75 * hourMs } as const

interface Running {
  readonly hold: Hold
  readonly end: () => void
}

export type Zone = keyof typeof aheadMs

/** A key and a member with two keys, whose spending and limits the returned functions change. */
export async function openSpending(fixture: EngineFixture, zone: Zone) {
  const startMs = midnightMs - aheadMs[zone]
  const world = new BudgetWorld(await fixture.openMigrated())
  await world.open(startMs - hourMs)
  // The member exists, and has two keys.
  await world.limitMember('u', {})
  for (const id of ['mine', 'mine-too']) await world.addKey(id, 'u')
  const ledger = await world.process('r')
  const begin = async (
    atMs: number,
    keyId = 'k',
    by = ledger,
    accountId = 'acme',
  ): Promise<Running> => {
    const requestId = newRequestId(atMs)
    const owned = keyId.startsWith('mine') ? { userId: 'u' } : {}
    const request = world.request({ requestId, accountId, keyId, ...owned })
    const hold = holdOf(await by.reserve(request))
    const records = usageRow({ requestId, at: atMs, accountId, keyId, costNano: eachNano })
    return { hold, end: () => settle(hold, eachNano, records) }
  }
  const spend = async (atMs: number, keyId?: string): Promise<void> => {
    await world.setClock(atMs)
    const { end } = await begin(atMs, keyId)
    end()
    await ledger.shipped()
  }
  const limit = async (
    owner: Owner,
    nano: bigint | null,
    atMs: number,
    name: 'dailyNano' | 'totalNano' = 'dailyNano',
    budgetZone: string = zone,
  ): Promise<void> => {
    await world.setClock(atMs)
    const limits = { [name]: nano, budgetZone }
    if (owner === 'key') await world.limitKey(limits, atMs)
    if (owner === 'member') await world.limitMember('u', limits, atMs)
    if (owner !== 'account') return
    await write(world.engine, atMs, (writing) => changeAccount(writing, 'acme', limits))
    for (const each of world.ledgers) each.apply([{ seq: 1, topic: 'account', subject: 'acme' }])
  }
  const shown = async (
    owner: Owner,
    nano: bigint,
    atMs: number,
    name: 'dailyNano' | 'totalNano' = 'dailyNano',
  ) => {
    const id = { key: 'k', member: 'u', account: 'acme' }[owner]
    const none = { totalNano: null, dailyNano: null, weeklyNano: null, monthlyNano: null }
    const limits = { ...none, alertPercent: null, [name]: nano, zone, monthDay: 1 }
    const [own] = await readBudgetStates(
      world.engine,
      [{ owner: { kind: owner, accountId: 'acme', id }, limits }],
      atMs,
    )
    return own?.filter(isDated).map(({ spentNano }) => spentNano)
  }
  return { world, ledger, startMs, begin, spend, limit, shown }
}

/** A key that counts for each owner. */
export const keyOf = { key: 'k', member: 'mine', account: 'k' } as const

/** The number of requests that are admitted, of 20. */
export const admitted = async (world: BudgetWorld, ledger: LeaseLedger, keyId: string) => {
  let count = 0
  const wish = () => world.request({ keyId, ...(keyId === 'k' ? {} : { userId: 'u' }) })
  for (let tries = 0; tries < 20; tries += 1) {
    const verdict = await ledger.reserve(wish())
    if (!verdict.ok) break
    settle(verdict.hold)
    count += 1
  }
  return count
}
