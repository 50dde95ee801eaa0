import { smallerOf } from '../../src/core/money/money.ts'
import type { Payer } from '../../src/ledger/ledger.ts'
import { checkPayers } from './check-payers.ts'
import { costing, holdRequestOf } from './request.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Simulation } from './simulation.ts'

/**
 * L4 and L5 after the trouble, when the database answers again: one process can spend all remaining money of the
 * account, also money in idle leases of the others, and not one nano more.
 */
export async function checkCalm(simulation: Simulation): Promise<void> {
  const { time, found } = simulation
  const living = simulation.living().filter(({ isFenced }) => !isFenced)
  const [asking] = living
  // If a settlement could not be written, its hold is left to recovery.
  if (!asking || simulation.living().some(({ ledger }) => ledger.openHolds > 0)) return
  if (!(await isAllKnown(simulation))) return
  for (const [index, process] of living.entries()) {
    await ask(simulation, process, `idle-${index}`, 1n)
  }
  await Promise.all(living.map(({ ledger }) => drain(simulation, ledger.shipped())))
  const restNano = await readRest(simulation)
  if (restNano <= 0n) return
  const isTooMuchGiven = await ask(simulation, asking, 'too-much', restNano + 1n)
  if (isTooMuchGiven) found.push('L4: more was admitted than there is')
  // After a failed recall, a process asks the others again only after a pause.
  await time.pass(time.nowMs + 1_100)
  const isGiven = await ask(simulation, asking, 'all', restNano)
  if (!isGiven) found.push(`L5: ${restNano} are there and were refused`)
  await checkPayers(simulation, living, (...question) => ask(simulation, ...question))
}

/** Whether every lease belongs to a living process that knows the lease. */
async function isAllKnown({ terms, engine, processes }: Simulation): Promise<boolean> {
  if (terms.hasLateCalls) return false
  const leases = await engine.db.selectFrom('lease').select(['replica', 'epoch']).execute()
  return leases.every(({ replica, epoch }) =>
    processes.some(
      ({ owner, life }) => !life.isOver && owner.replica === replica && owner.epoch === epoch,
    ),
  )
}

/** The remaining credit, or the remaining budget of the account if that is less. */
async function readRest({ engine, terms, startMs, time }: Simulation): Promise<bigint> {
  const entries = await engine.db.selectFrom('entry').select('cost_nano').execute()
  const creditNano = entries.reduce((rest, { cost_nano }) => rest - cost_nano, terms.creditNano)
  const limitNano = terms.budgets?.accountNano ?? null
  if (limitNano === null) return creditNano
  const nowMs = startMs + time.nowMs
  const counters = await engine.db
    .selectFrom('budget_counter')
    .selectAll()
    .where('owner_kind', '=', 'account')
    .execute()
  const present = counters.find(
    ({ starts_at, ends_at }) => starts_at <= nowMs && (ends_at === null || nowMs < ends_at),
  )
  return smallerOf(creditNano, limitNano - (present?.spent_nano ?? 0n))
}

/** A request without cost; returns whether it was admitted. */
async function ask(
  simulation: Simulation,
  { ledger }: SimulatedProcess,
  requestId: string,
  amountNano: bigint,
  { keyId, userId }: Pick<Payer, 'keyId' | 'userId'> = { keyId: 'free' },
): Promise<boolean> {
  const request = holdRequestOf({ requestId, keyId, userId, recoveryNano: 0n }, amountNano)
  const verdict = await drain(simulation, Promise.resolve(ledger.reserve(request)))
  if (!verdict.ok) return false
  await drain(simulation, verdict.hold.admitted)
  await drain(simulation, verdict.hold.settleSoon(costing(0n), []))
  return true
}

/** Lets time pass until the promise is settled. */
async function drain<T>({ time }: Simulation, promise: Promise<T>): Promise<T> {
  let isDone = false
  const watch = async (): Promise<void> => {
    await Promise.allSettled([promise])
    isDone = true
  }
  void watch()
  if (!(await time.pass(time.nowMs + 60_000, () => isDone)))
    throw new Error('L5: a request was not answered within a minute')
  return promise
}
