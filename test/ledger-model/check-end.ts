import { expect } from 'bun:test'
import { findImbalances } from '../../src/ledger/audit/conservation.ts'
import { TransientStoreError } from '../../src/store/engine.ts'
import type { Books } from './books.ts'
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
  await checkPurses(books, world)
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
async function checkPurses(books: Books, { engine }: LedgerWorld): Promise<void> {
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
