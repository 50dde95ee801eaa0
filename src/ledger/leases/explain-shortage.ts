import { sql } from 'kysely'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import type { BudgetTerms } from '../budgets/budget-terms.ts'
import { readCounters } from '../budgets/read-counters.ts'
import type { HoldRefusal, Payer } from '../ledger.ts'
import type { LeasePool } from './lease-pool.ts'
import type { LeaseOwner } from './lease-units.ts'
import { type CounterPart, type FundParts, shortageOf } from './short-budget.ts'
import { type ShortFunds, shortFundsOf } from './short-funds.ts'

interface FundsRow {
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
  terms: BudgetTerms,
): Promise<(amountNano: Nano) => HoldRefusal> {
  const money = await readMoney(engine, keyId, terms)
  return (amountNano) =>
    money
      ? shortageOf(money.funds, money.parts, amountNano)
      : { reason: 'insufficient_credit', affordableNano: 0n }
}

/** Whose leases may have money that a hold lacks; undefined when the free money is all there is. */
export async function findShortFunds(
  engine: Engine,
  { keyId }: LeasePool,
  terms: BudgetTerms,
  amountNano: Nano,
): Promise<ShortFunds | undefined> {
  const money = await readMoney(engine, keyId, terms)
  return money && shortFundsOf(money.funds, money.parts, amountNano)
}

interface Money {
  readonly funds: FundParts
  readonly parts: readonly CounterPart[]
}

async function readMoney(
  engine: Engine,
  keyId: string,
  { counters }: BudgetTerms,
): Promise<Money | undefined> {
  const row = await readFunds(engine, keyId)
  if (!row) return undefined
  const { account_nano, account_leased_nano, key_nano, key_leased_nano } = row
  const account = { freeNano: account_nano, heldNano: account_leased_nano }
  const key = key_nano === null ? undefined : { freeNano: key_nano, heldNano: key_leased_nano }
  const states = await readCounters(engine, counters)
  const parts = states.map(({ counter, availableNano, leasedNano }) => ({
    counter,
    freeNano: availableNano,
    heldNano: leasedNano,
  }))
  return { funds: { account, key }, parts }
}

async function readFunds(engine: Engine, keyId: string): Promise<FundsRow | undefined> {
  const result = await sql<FundsRow>`
    SELECT a.available_nano AS account_nano, k.available_nano AS key_nano,
      CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease WHERE account_id = a.id), 0) AS BIGINT)
        AS account_leased_nano,
      CAST(COALESCE((SELECT SUM(granted_nano - used_nano) FROM lease
        WHERE account_id = a.id AND key_id = k.id), 0) AS BIGINT)
        AS key_leased_nano
    FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ${keyId}`.execute(engine.db)
  return result.rows[0]
}

/** Tells whether other processes have unused money in leases that may help this key. */
export async function hasIdleMoneyElsewhere(
  engine: Engine,
  { accountId, keyId }: Payer,
  { replica, epoch }: LeaseOwner,
  { isAccountShort, isKeyShort, counterIds }: ShortFunds,
): Promise<boolean> {
  const ids = [...counterIds]
  const row = await engine.db
    .selectFrom('lease')
    .select('id')
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('replica', '!=', replica), eb('epoch', '!=', epoch)]))
    .where('granted_nano', '>', (eb) => eb.ref('used_nano'))
    .where((eb) => {
      if (isAccountShort) return eb.lit(true)
      const sets = eb.selectFrom('budget_set').select('set_id').where('counter_id', 'in', ids)
      return eb.or([
        ...(isKeyShort ? [eb('key_id', '=', keyId)] : []),
        ...(ids.length > 0 ? [eb('budget_set', 'in', sets)] : []),
      ])
    })
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
