import { sql } from 'kysely'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { BudgetTerms } from '../budgets/budget-terms.ts'
import { readCounters } from '../budgets/read-counters.ts'
import type { HoldRefusal } from '../ledger.ts'
import type { LeaseOwner } from './lease-units.ts'
import { type CounterPart, shortageOf } from './short-budget.ts'

interface Funds {
  readonly account_nano: Nano
  readonly key_nano: Nano | null
  readonly account_leased_nano: Nano
  readonly key_leased_nano: Nano
}

/**
 * Explains why a hold on a key is refused. Money that requests in flight hold comes back, so a client that waits a
 * moment may succeed; this case gets its own reason.
 */
export async function explainShortage(
  engine: Engine,
  keyId: string,
  { counters }: BudgetTerms,
): Promise<(amountNano: Nano) => HoldRefusal> {
  const funds = await readFunds(engine, keyId)
  const states = await readCounters(engine, counters)
  const parts = states.map(({ counter, availableNano, leasedNano }) => ({
    counter,
    freeNano: availableNano,
    heldNano: leasedNano,
  }))
  return (amountNano) => refusalOf(funds, parts, amountNano)
}

function refusalOf(
  funds: Funds | undefined,
  parts: readonly CounterPart[],
  amountNano: Nano,
): HoldRefusal {
  if (!funds) return { reason: 'insufficient_credit', affordableNano: 0n }
  const { account_nano, account_leased_nano, key_nano, key_leased_nano } = funds
  const account = { freeNano: account_nano, heldNano: account_leased_nano }
  const key = key_nano === null ? undefined : { freeNano: key_nano, heldNano: key_leased_nano }
  return shortageOf({ account, key }, parts, amountNano)
}

async function readFunds(engine: Engine, keyId: string): Promise<Funds | undefined> {
  const result = await sql<Funds>`
    SELECT a.available_nano AS account_nano, k.available_nano AS key_nano,
      CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0) AS BIGINT)
        AS account_leased_nano,
      CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE key_id = k.id), 0) AS BIGINT)
        AS key_leased_nano
    FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ${keyId}`.execute(engine.db)
  return result.rows[0]
}

/** Tells whether other processes have unused money of this account in their leases. */
export async function hasIdleMoneyElsewhere(
  engine: Engine,
  accountId: string,
  owner: LeaseOwner,
): Promise<boolean> {
  const row = await engine.db
    .selectFrom('lease')
    .select('id')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('replica', '!=', owner.replica), eb('epoch', '!=', owner.epoch)]))
    .where('granted_nano', '>', (eb) => eb.ref('used_nano'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
