import { expect } from 'bun:test'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { TransientStoreError } from '../../src/store/engine.ts'
import { type Books, type BudgetName, budgetNames, spanOf } from './books.ts'
import type { LedgerWorld } from './ledger-world.ts'

/** Ends all requests and stops the process; then nothing is left over, and the books and the database say the same. */
export async function checkEnd(books: Books, world: LedgerWorld): Promise<void> {
  if (!books.isRunning) {
    await world.start()
    books.interrupt()
  }
  for (const hold of books.holds) {
    await world.settle(hold.requestId, 0, false)
    books.end(hold, 0n)
  }
  await world.process.ledger.close()
  world.kill()
  // What a repetition cures is repeated.
  expect(world.errors.filter((error) => !(error instanceof TransientStoreError))).toEqual([])
  expect(await findImbalances(world.engine)).toEqual([])
  await checkNothingIsLeft(world)
  await checkEntries(books, world)
  await checkFunds(books, world)
  await checkBudgets(books, world)
}

/** L6. */
async function checkNothingIsLeft({ engine, disk }: LedgerWorld): Promise<void> {
  expect(await engine.db.selectFrom('lease').select('id').execute()).toEqual([])
  expect(disk.names).toEqual([])
}

/** L2, and that each entry costs what its request did, but for what nobody could pay. */
async function checkEntries(books: Books, { engine }: LedgerWorld): Promise<void> {
  const entries = await engine.db.selectFrom('entry').select(['request_id', 'cost_nano']).execute()
  const costs = new Map(entries.map((entry) => [entry.request_id, entry.cost_nano]))
  expect(entries).toHaveLength(costs.size)
  expect(costs).toEqual(books.costs)
  const uncovered = await engine.db.selectFrom('uncovered').selectAll().execute()
  const missing = new Map(uncovered.map((row) => [row.request_id, row.uncovered_nano]))
  expect(missing).toEqual(books.uncovered)
}

/** L4, and that what is left is what the books say. */
async function checkFunds(books: Books, { engine }: LedgerWorld): Promise<void> {
  const account = await engine.db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
  const keys = await engine.db.selectFrom('api_key').selectAll().execute()
  expect(account.available_nano).toBe(books.creditNano - books.spentInAllNano)
  const limited = keys.find((key) => key.id === 'limited')
  const rest = books.quotaNano === undefined ? null : books.quotaNano - books.spentNano.limited
  expect(limited?.available_nano).toBe(rest)
  expect(limited?.spent_nano).toBe(books.spentNano.limited)
  expect(account.available_nano).toBeGreaterThanOrEqual(-books.lateNano)
  if (rest !== null && !books.isQuotaEdited) expect(rest).toBeGreaterThanOrEqual(-books.lateNano)
}

/** Each counter has what its budget had spent in its period, and never more than its limit ever allowed. */
async function checkBudgets(books: Books, { engine }: LedgerWorld): Promise<void> {
  const counters = await engine.db.selectFrom('budget_counter').selectAll().execute()
  const spent = new Map(
    counters.map((counter) => [
      spanOf(nameOf(counter), Math.floor(counter.starts_at / 86_400_000)),
      counter,
    ]),
  )
  expect(counters).toHaveLength(spent.size)
  for (const [span, spentNano] of books.spentOfBudgets) {
    const name = budgetNames.find((each) => span.startsWith(each)) ?? 'keyDay'
    const mostNano = books.mostBudgets[name]
    const counter = spent.get(span)
    if (mostNano === undefined) {
      expect(counter).toBeUndefined()
      continue
    }
    expect(counter?.spent_nano).toBe(spentNano)
    expect(counter?.available_nano).toBe((counter?.limit_nano ?? 0n) - spentNano)
    expect(spentNano).toBeLessThanOrEqual(mostNano + books.lateNano)
  }
  await checkCrossings(engine, counters)
}

/** A counter that has reached its alert amount has a crossing for this amount; one that has not has none. */
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
