import { sql } from 'kysely'
import type { Nano } from '../../core/money/money.ts'
import type { Engine } from '../../store/engine.ts'
import { refuseStopped } from '../audit/audit-stops.ts'
import { BudgetTerms } from '../budgets/budget-terms.ts'
import { type CounterState, readCounters } from '../budgets/read-counters.ts'
import { readRules } from '../budgets/read-rules.ts'
import { BudgetZoneUnknown, type HoldForecast, type Payer } from '../ledger.ts'
import { freeOf, type LeasePool } from './lease-pool.ts'
import type { LeaseOwner } from './lease-units.ts'
import { type CounterPart, type MoneyPart, shortageOf } from './short-budget.ts'

interface Funds {
  readonly account_nano: Nano
  readonly key_nano: Nano | null
  readonly account_elsewhere_nano: Nano
  readonly key_elsewhere_nano: Nano
}

const nothing: MoneyPart = { freeNano: 0n, heldNano: 0n }

/**
 * Predicts what a hold would find now; takes and writes nothing. Money leased by other processes counts as free,
 * because a hold would recall it. Only these processes know how much of it their requests hold.
 */
export async function forecastHold(
  { engine, owner }: { readonly engine: Engine; readonly owner: LeaseOwner },
  pools: Iterable<LeasePool>,
  name: Payer,
  { validSinceMs, databaseMs }: { readonly validSinceMs: number; readonly databaseMs: number },
): Promise<HoldForecast> {
  await refuseStopped(engine, name.accountId)
  const funds = await readFunds(engine, owner, name.keyId)
  const terms = new BudgetTerms(await readRules(engine, name), databaseMs)
  if (terms.unknownZone) throw new BudgetZoneUnknown(terms.unknownZone)
  const states = await readCounters(engine, terms.counters, owner)
  let account = nothing
  let key: MoneyPart | undefined
  const all = [...pools]
  const parts = states.map((state) => counterPart(state, all, validSinceMs))
  if (funds) {
    account = { freeNano: funds.account_nano + funds.account_elsewhere_nano, heldNano: 0n }
    if (funds.key_nano !== null)
      key = { freeNano: funds.key_nano + funds.key_elsewhere_nano, heldNano: 0n }
  }
  for (const pool of all) {
    if (pool.accountId !== name.accountId) continue
    account = withPool(account, pool, validSinceMs)
    if (key && pool.keyId === name.keyId) key = withPool(key, pool, validSinceMs)
  }
  return {
    accountNano: account.freeNano,
    keyNano: key?.freeNano,
    refusalOf: (amountNano) => {
      const refusal = shortageOf({ account, key }, parts, amountNano)
      return refusal.affordableNano < amountNano ? refusal : undefined
    },
  }
}

function counterPart(
  { counter, availableNano, leasedNano }: CounterState,
  pools: readonly LeasePool[],
  validSinceMs: number,
): CounterPart {
  let freeNano = availableNano + leasedNano
  let heldNano = 0n
  for (const lease of pools.flatMap(({ leases }) => leases)) {
    if (!lease.terms.counters.some(({ id }) => id === counter.id)) continue
    freeNano += freeOf([lease], validSinceMs)
    heldNano += lease.heldNano
  }
  return { counter, freeNano, heldNano }
}

function withPool(
  { freeNano, heldNano }: MoneyPart,
  pool: LeasePool,
  validSinceMs: number,
): MoneyPart {
  return {
    freeNano: freeNano + freeOf(pool.leases, validSinceMs),
    heldNano: heldNano + pool.heldNano,
  }
}

async function readFunds(
  engine: Engine,
  { replica, epoch }: LeaseOwner,
  keyId: string,
): Promise<Funds | undefined> {
  const rest = sql`SELECT SUM(granted_nano - used_nano) FROM lease
    WHERE NOT (replica = ${replica} AND epoch = ${epoch})`
  const result = await sql<Funds>`
    SELECT a.available_nano AS account_nano, k.available_nano AS key_nano,
      CAST(COALESCE((${rest} AND account_id = a.id), 0) AS BIGINT) AS account_elsewhere_nano,
      CAST(COALESCE((${rest} AND key_id = k.id), 0) AS BIGINT) AS key_elsewhere_nano
    FROM api_key k JOIN account a ON a.id = k.account_id WHERE k.id = ${keyId}`.execute(engine.db)
  return result.rows[0]
}
