import { leaseTimes } from '../../src/ledger/leases/lease-times.ts'
import { countWaits } from '../../src/limits/database-counts.ts'
import { writeTurns } from '../../src/store/changes/in-turn.ts'
import { postgresLimits } from '../../src/store/postgres/limits.ts'

/*
 * Longer waits on a slow or busy machine, so that the code and not the speed of the machine decides a test. Tests of
 * these waits set their own.
 */

const moneyWaits = [
  'recallMs',
  'inFlightMs',
  'inFlightMostMs',
  'waitMsMax',
  'coverMs',
  'shippedMs',
] as const

/** Multiplies the waits for the database. */
export function slowDatabase(slowness: number): void {
  writeTurns.waitMs *= slowness
  countWaits.answerMs *= slowness
  for (const pool of Object.values(postgresLimits)) {
    Object.assign(pool, {
      acquireMs: Math.ceil(pool.acquireMs * slowness),
      statementMs: Math.ceil(pool.statementMs * slowness),
    })
  }
}

/** Multiplies the waits for money. */
export function slowMoney(slowness: number): void {
  for (const name of moneyWaits) leaseTimes[name] *= slowness
}
