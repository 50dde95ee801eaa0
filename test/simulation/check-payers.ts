import { sql } from 'kysely'
import { type Nano, smallerOf } from '../../src/core/money/money.ts'
import { BudgetTerms } from '../../src/ledger/budgets/budget-terms.ts'
import { readCounters } from '../../src/ledger/budgets/read-counters.ts'
import { readRules } from '../../src/ledger/budgets/read-rules.ts'
import type { Payer } from '../../src/ledger/ledger.ts'
import { members } from './open-account.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { Simulation } from './simulation.ts'

/** Asks for an amount, without cost; returns whether the request was admitted. */
export type AskPayer = (
  process: SimulatedProcess,
  requestId: string,
  amountNano: Nano,
  payer: Payer,
) => Promise<boolean>

/**
 * L4 and L5 for every key and every owner of a key: each process can spend what the quota, the budgets of key, member
 * and account, and the credit leave together, and not one nano more.
 */
export async function checkPayers(
  simulation: Simulation,
  living: readonly SimulatedProcess[],
  ask: AskPayer,
): Promise<void> {
  const users = simulation.terms.budgets ? [...members, undefined] : [undefined]
  for (const keyId of ['limited', 'free'])
    for (const userId of users)
      for (const process of living)
        await checkPayer(simulation, process, { accountId: 'a', keyId, userId }, ask)
}

async function checkPayer(
  simulation: Simulation,
  process: SimulatedProcess,
  payer: Payer,
  ask: AskPayer,
): Promise<void> {
  const { found } = simulation
  const name = `${payer.keyId} of ${payer.userId ?? 'nobody'} at ${process.name}`
  await restOfRecalls(simulation)
  const restNano = await readRest(simulation, payer)
  const moreNano = (restNano > 0n ? restNano : 0n) + 1n
  if (await ask(process, `more ${name}`, moreNano, payer))
    found.push(`L4: ${name} got ${moreNano}, and ${restNano} were there`)
  await restOfRecalls(simulation)
  // The money stays with this process, so the next one has to recall it.
  if (restNano > 0n && !(await ask(process, `all ${name}`, restNano, payer)))
    found.push(`L5: ${restNano} are there for ${name} and were refused`)
}

/** After a failed recall, a process asks the others again only after a pause. */
async function restOfRecalls({ time }: Simulation): Promise<void> {
  await time.pass(time.nowMs + 1_100)
}

/** No request holds money, so the unused money of leases is free. */
async function readRest({ engine, startMs, time }: Simulation, payer: Payer): Promise<Nano> {
  const { counters } = new BudgetTerms(await readRules(engine, payer), startMs + time.nowMs)
  const budgets = await readCounters(engine, counters)
  const leased = sql`SELECT COALESCE(SUM(granted_nano - used_nano), 0) FROM lease`
  const { rows } = await sql<{ nano: Nano | null }>`
    SELECT available_nano + (${leased}) AS nano FROM account
    UNION ALL
    SELECT available_nano + (${leased} WHERE key_id = ${payer.keyId}) FROM api_key
    WHERE id = ${payer.keyId}`.execute(engine.db)
  return [
    ...rows.flatMap(({ nano }) => (nano === null ? [] : BigInt(nano))),
    ...budgets.map(({ availableNano, leasedNano }) => availableNano + leasedNano),
  ].reduce(smallerOf)
}
