import { expect } from 'bun:test'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { TransientStoreError } from '../../src/store/engine.ts'
import { type AccountModel, type BudgetName, budgetNames, spanOf } from './account-model.ts'
import type { LedgerWorld } from './ledger-world.ts'

/** Ends all requests and stops the process. Then no lease or journal file is left, and the database agrees with the model. */
export async function checkEnd(model: AccountModel, world: LedgerWorld): Promise<void> {
  if (!model.isRunning) {
    await world.start()
    model.interrupt()
  }
  for (const hold of model.holds) {
    await world.settle(hold.requestId, 0, false)
    model.end(hold, 0n)
  }
  await world.process.ledger.close()
  world.kill()
  // The ledger retries after a transient error, so such errors are allowed.
  expect(world.errors.filter((error) => !(error instanceof TransientStoreError))).toEqual([])
  expect(await findImbalances(world.engine)).toEqual([])
  await checkNothingIsLeft(world)
  await checkEntries(model, world)
  await checkFunds(model, world)
  await checkBudgets(model, world)
}

/** L6. */
async function checkNothingIsLeft({ engine, disk }: LedgerWorld): Promise<void> {
  expect(await engine.db.selectFrom('lease').select('id').execute()).toEqual([])
  expect(disk.names).toEqual([])
}

/** L2: each entry has the cost of its request, except for the uncovered part. */
async function checkEntries(model: AccountModel, { engine }: LedgerWorld): Promise<void> {
  const entries = await engine.db.selectFrom('entry').select(['request_id', 'cost_nano']).execute()
  const costs = new Map(entries.map((entry) => [entry.request_id, entry.cost_nano]))
  expect(entries).toHaveLength(costs.size)
  expect(costs).toEqual(model.costs)
  const uncovered = await engine.db.selectFrom('uncovered').selectAll().execute()
  const missing = new Map(uncovered.map((row) => [row.request_id, row.uncovered_nano]))
  expect(missing).toEqual(model.uncovered)
}

/** L4, and the available money is what the model expects. */
async function checkFunds(model: AccountModel, { engine }: LedgerWorld): Promise<void> {
  const account = await engine.db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
  const keys = await engine.db.selectFrom('api_key').selectAll().execute()
  expect(account.available_nano).toBe(model.creditNano - model.spentInAllNano)
  const limited = keys.find((key) => key.id === 'limited')
  const rest = model.quotaNano === undefined ? null : model.quotaNano - model.spentNano.limited
  expect(limited?.available_nano).toBe(rest)
  expect(limited?.spent_nano).toBe(model.spentNano.limited)
  expect(account.available_nano).toBeGreaterThanOrEqual(-model.lateNano)
  if (rest !== null && !model.isQuotaEdited) expect(rest).toBeGreaterThanOrEqual(-model.lateNano)
}

/** Each counter has the spending of its budget and period, and never more than the highest limit. */
async function checkBudgets(model: AccountModel, { engine }: LedgerWorld): Promise<void> {
  const counters = await engine.db.selectFrom('budget_counter').selectAll().execute()
  const spent = new Map(
    counters.map((counter) => [
      spanOf(nameOf(counter), Math.floor(counter.starts_at / 86_400_000)),
      counter,
    ]),
  )
  expect(counters).toHaveLength(spent.size)
  for (const [span, spentNano] of model.spentOfBudgets) {
    const name = budgetNames.find((each) => span.startsWith(each)) ?? 'keyDay'
    const mostNano = model.mostBudgets[name]
    const counter = spent.get(span)
    if (mostNano === undefined) {
      expect(counter).toBeUndefined()
      continue
    }
    expect(counter?.spent_nano).toBe(spentNano)
    expect(counter?.available_nano).toBe((counter?.limit_nano ?? 0n) - spentNano)
    expect(spentNano).toBeLessThanOrEqual(mostNano + model.lateNano)
  }
  await checkCrossings(engine, counters)
}

/** A counter that has reached its alert amount has a crossing for this amount; other counters have none. */
async function checkCrossings(
  engine: LedgerWorld['engine'],
  counters: readonly { id: string; spent_nano: bigint; alert_nano: bigint | null }[],
): Promise<void> {
  const crossings = await engine.db.selectFrom('budget_crossing').selectAll().execute()
  for (const { id, spent_nano: spentNano, alert_nano: alertNano } of counters) {
    const own = crossings.filter((crossing) => crossing.counter_id === id)
    expect(new Set(own.map((crossing) => crossing.alert_nano)).size).toBe(own.length)
    for (const crossing of own) expect(spentNano).toBeGreaterThanOrEqual(crossing.alert_nano)
    if (alertNano !== null && spentNano < alertNano)
      expect(own.some((crossing) => crossing.alert_nano === alertNano)).toBe(false)
  }
}

function nameOf({ owner_kind: owner, period }: { owner_kind: string; period: string }): BudgetName {
  const name = `${owner}${period === 'total' ? 'Total' : 'Day'}`
  return budgetNames.find((each) => each === name) ?? 'keyDay'
}
