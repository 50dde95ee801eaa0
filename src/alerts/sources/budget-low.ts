import { type Budget, budgetsAt, isDated } from '../../core/limits/budget.ts'
import type { Nano } from '../../core/money/money.ts'
import { counterId, isCounterOf } from '../../ledger/budgets/budget-terms.ts'
import { readBudgetStates } from '../../ledger/budgets/read-states.ts'
import { BudgetZoneUnknown } from '../../ledger/ledger.ts'
import type { Engine } from '../../store/engine.ts'
import { type AlertSource, type Crossing, crossingsMax, type OmitRow } from '../alert-source.ts'
import { type AlertedOwner, alertedOwners } from './budget-owners.ts'

/** A budget that is reached in the last minute of its period is still reported. */
const reportedAfterMs = 24 * 60 * 60_000

type ReachedBudget = Pick<Budget, 'limitNano' | 'endsAtMs'> & { readonly spentNano: Nano }

/**
 * The spending of a key, member or account has reached the alert share of a budget: of the limit that it has now,
 * whether the spending has grown or the limit was lowered.
 */
export const budgetLow: AlertSource = {
  kind: 'budget_low',
  storedAs: ['budget_low', 'budget_reached'],
  find: async (db, { accountId, createdAtMs }, nowMs, omit) => {
    const found: Crossing[] = []
    for await (const owners of alertedOwners(db, accountId)) {
      for (const owner of owners) omitUndated(owner, nowMs, omit)
      found.push(
        ...(await findPresent(db, owners, nowMs)),
        ...(await findEnded(db, owners, nowMs, createdAtMs)),
        ...owners.flatMap(findQuota),
      )
      if (found.length >= crossingsMax) break
    }
    return found.slice(0, crossingsMax)
  },
}

function omitUndated({ owner, limits }: AlertedOwner, nowMs: number, omit: OmitRow): void {
  const undated = budgetsAt(limits, nowMs).filter((budget) => !isDated(budget))
  if (undated.length === 0) return
  omit(new BudgetZoneUnknown({ owner, zone: limits.zone }), (name) =>
    undated.some(({ period }) => isCounterOf(name, owner, period)),
  )
}

async function findPresent(
  db: Engine['db'],
  owners: readonly AlertedOwner[],
  nowMs: number,
): Promise<Crossing[]> {
  const states = await readBudgetStates({ db }, owners, nowMs)
  return owners.flatMap((owner, index) =>
    (states[index] ?? [])
      .filter(isDated)
      .filter(({ alertNano, spentNano }) => isReached(spentNano, alertNano))
      .map((budget) => crossingOf(owner, counterId(owner.owner, budget), budget)),
  )
}

/** A budget of nothing is reached by nobody. */
function isReached(spentNano: Nano, alertNano: Nano | null): boolean {
  return alertNano !== null && spentNano > 0n && spentNano >= alertNano
}

/** A quota has no counter: the key itself has what was spent. */
function findQuota(owner: AlertedOwner): Crossing[] {
  const { quota, limits } = owner
  if (!quota) return []
  const dated = budgetsAt({ ...limits, totalNano: quota.limitNano }, 0).filter(isDated)
  const total = dated.find(({ period }) => period === 'total')
  if (!total || !isReached(quota.spentNano, total.alertNano)) return []
  const budget = { ...total, spentNano: quota.spentNano }
  return [crossingOf(owner, counterId(owner.owner, total), budget)]
}

/**
 * Budgets of periods that have just ended. The ledger records that one is reached with the settlement, so a period that
 * ends before the next evaluation is not missed. A limit that was changed since says nothing about that period, and does
 * not let it be reported again. A new alert does not begin with periods that ended before it existed.
 */
async function findEnded(
  db: Engine['db'],
  owners: readonly AlertedOwner[],
  nowMs: number,
  sinceMs: number,
): Promise<Crossing[]> {
  const ended = new Map(owners.flatMap((owner) => endedBudgets(owner, nowMs)))
  if (ended.size === 0) return []
  const rows = await db
    .selectFrom('budget_counter as c')
    .select(['c.id', 'c.limit_nano', 'c.alert_nano', 'c.spent_nano'])
    .where('c.id', 'in', [...ended.keys()])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('budget_crossing as x')
          .select('x.seq')
          .whereRef('x.counter_id', '=', 'c.id')
          .whereRef('x.alert_nano', '=', 'c.alert_nano'),
      ),
    )
    .orderBy('c.id')
    .execute()
  return rows.flatMap((row) => {
    const found = ended.get(row.id)
    if (!found) return []
    const { owner, budget } = found
    const isSame = budget.limitNano === row.limit_nano && budget.alertNano === row.alert_nano
    const isEarlier = budget.endsAtMs !== null && budget.endsAtMs <= sinceMs
    const spent = { ...budget, limitNano: row.limit_nano, spentNano: row.spent_nano }
    const crossing = crossingOf(owner, row.id, spent)
    return [{ ...crossing, variant: 'ended', isSilent: !isSame || isEarlier }]
  })
}

/** The budgets before the present ones, by the id of their counter, if they have ended recently. */
function endedBudgets(owner: AlertedOwner, nowMs: number) {
  const datedAt = (atMs: number) => budgetsAt(owner.limits, atMs).filter(isDated)
  return datedAt(nowMs).flatMap(({ period, startsAtMs, endsAtMs }) => {
    if (endsAtMs === null || startsAtMs <= nowMs - reportedAfterMs) return []
    const before = datedAt(startsAtMs - 1).find((each) => each.period === period)
    return before ? [[counterId(owner.owner, before), { owner, budget: before }] as const] : []
  })
}

function crossingOf(owner: AlertedOwner, name: string, budget: ReachedBudget): Crossing {
  const { endsAtMs } = budget
  return {
    subject: owner.owner.id,
    name,
    accountId: owner.owner.accountId,
    values: { owner: owner.name, account: owner.accountName },
    amounts: { spent: budget.spentNano },
    limits: { limit: budget.limitNano },
    ...(endsAtMs === null ? { variant: 'total' } : { times: { resets: endsAtMs } }),
  }
}
